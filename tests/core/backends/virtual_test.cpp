// Ranks that are actors, on time that is simulated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/train/open_host.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;

TEST(VirtualBackend, ActorsShareAProcessAndAJournal) {
    const Layout layout = layoutOf("virtual", 4).value();
    EXPECT_EQ(layout.processes.size(), 1U);
    EXPECT_EQ(layout.journals(), (std::vector<int>{0}));
    EXPECT_TRUE(layout.timeSimulated);
}

// A step of 3 ms on two ranks; rank 1's host is out from 10 ms on, for 5 ms.
class VirtualBackendRun : public testing::Test {
protected:
    VirtualBackendRun() {
        Value document = quadratic("independent", 2, "virtual");
        document.set("network", gigabit());
        document.set("compute", table({{"step_time", text("3ms")}}));
        document.set("faults", table({{"hosts", matrix({{1, 0.010, 0.005}})}}));
        experiment_.emplace(std::move(*readExperiment(document)));
        data_ = loadTrainingData(*experiment_).value();
        auto host = openHost(*experiment_, &data_, {.ranks = {0, 1}, .clock = unused_, .sink = sink()});
        if (!host) throw std::runtime_error(host.error().message);
        host_ = std::move(*host);
    }
    std::function<EventSink&(Rank)> sink() {
        return [this](Rank rank) -> EventSink& { return sinks_[static_cast<std::size_t>(rank.value())]; };
    }
    std::optional<Experiment> experiment_;
    TrainingData data_;
    MonotonicClock unused_;
    MemorySink sinks_[2];
    std::unique_ptr<RankHost> host_;
};

TEST_F(VirtualBackendRun, RecordsTheStepTimeAndTheFailuresOfItsRanks) {
    WorkerOutcome outcomes[2];
    host_->run([&](HostedRank& rank) {
        const auto own = static_cast<std::size_t>(rank.comm.rank().value());
        outcomes[own] = runWorker(*experiment_, {rank.comm, rank.clock, sinks_[own], rank.gate, rank.executor, &data_});
    });
    EXPECT_EQ(outcomes[1].kind, WorkerOutcome::Kind::Finished);
    EXPECT_NEAR(sinks_[0].metrics.at("run/computed_step_ms").back().value, 3, 1e-9);
    const auto& faults = sinks_[1].metrics.at("fault/host_down");
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[0].value, 1);
    EXPECT_EQ(faults[1].value, 0);
    EXPECT_FALSE(sinks_[0].metrics.contains("fault/host_down"));
}

TEST_F(VirtualBackendRun, ARankThatGivesUpEndsTheWaitOfTheOthers) {
    std::string seen;
    host_->run([&](HostedRank& rank) {
        if (rank.comm.rank() == Rank{1}) return host_->abort("rank 1 has had enough");
        at::Tensor one = torch::ones({1});
        try {
            Pending pending = rank.comm.allReduce(one, Reduce::Sum);
            pending.wait();
        } catch (const CommError& error) {
            seen = error.what();
        }
    });
    EXPECT_THAT(seen, HasSubstr("rank 1 has had enough"));
}

}  // namespace
}  // namespace dasgd::test
