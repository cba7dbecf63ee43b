// A rank is gone in the middle of a run, with whatever it had in flight: none of the others waits for ever or goes on
// without it, and each says which operation of its own failed. Of every kind of communication one algorithm.
#include <gmock/gmock.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kLostAfter = 6;
const Rank kLost{1};

struct RankIsGone : std::runtime_error {
    RankIsGone() : std::runtime_error("this rank is gone") {}
};

class LosesARank final : public StepGate {
public:
    bool mayContinue(Rank rank, std::int64_t completed) override {
        if (rank == kLost && completed == kLostAfter) throw RankIsGone();
        return true;
    }
    [[nodiscard]] bool stopAsked(Rank, std::int64_t) override { return false; }
    void leave(Rank) override {}
};

// Experiment on the quadratic problem with three ranks that train; ssp has a server besides.
Value bowlOf(const std::string& name) {
    Fields fields{{"name", text(name)}};
    if (name == "dasgd") fields.insert(fields.end(), {{"period", integer(4)}, {"delay", integer(3)}});
    if (name == "ssp") fields.emplace_back("staleness", integer(0));
    Value document = QuadraticProblem{.workers = 3}.experiment(std::move(fields));
    document.set(
        "cluster",
        table({{"backend", text("threads")}, {"workers", integer(name == "ssp" ? 4 : 3)}, {"timeout_s", number(5)}}));
    return document;
}

std::vector<RankRecord> trainedUntilOneIsGone(const Value& document, Backend backend) {
    const Experiment experiment = std::move(readExperiment(document).value());
    std::vector<RankRecord> records(static_cast<std::size_t>(experiment.cluster.ranks()));
    LosesARank gate;
    const auto body = [&](HostedRank& rank) {
        RankRecord& record = records[static_cast<std::size_t>(rank.comm.rank().value())];
        record.outcome = runWorker(experiment, {.comm = rank.comm,
                                                .clock = rank.clock,
                                                .sink = record.sink,
                                                .control = &gate,
                                                .executor = rank.executor,
                                                .device = rank.device});
        // A lost rank that is a thread tells the code that runs the ranks by an exception.
        if (rank.comm.rank() == kLost) throw RankIsGone();
    };
    try {
        if (backend == Backend::Threads) {
            hostRanks(experiment.cluster, body);
        } else {
            runRanks(
                backend, experiment.cluster.ranks(),
                [&](Communicator& comm, Clock& clock) {
                    HostedRank rank{comm, clock};
                    body(rank);
                },
                experiment.cluster.deadline());
        }
    } catch (const RankIsGone&) {
    }
    return records;
}

class LostRank : public testing::TestWithParam<std::tuple<std::string, Backend>> {};

TEST_P(LostRank, EndsTheOthersWithTheOperationThatFailed) {
    const auto& [name, backend] = GetParam();
    const auto records = trainedUntilOneIsGone(bowlOf(name), backend);
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const WorkerOutcome& outcome = records[rank].outcome;
        SCOPED_TRACE("rank " + std::to_string(rank) + ": " + outcome.error);
        EXPECT_EQ(outcome.kind, WorkerOutcome::Kind::Failed);
        if (Rank(static_cast<int>(rank)) == kLost) {
            EXPECT_EQ(outcome.step, kLostAfter);
            continue;
        }
        EXPECT_THAT(outcome.error,
                    testing::ContainsRegex(
                        "(all_reduce|broadcast|exchange) #[0-9]+|(send to|receive from) (rank [0-9]|any rank), tag"));
        EXPECT_GE(outcome.step, kLostAfter - 1) << "what came before was in order";
        EXPECT_LE(outcome.step, kLostAfter + 8) << "two periods";
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, LostRank,
                         testing::Combine(testing::Values("sync_sgd", "local_sgd", "dasgd", "overlap_local_sgd",
                                                          "streaming_diloco", "oldsgd", "sgp", "ssp"),
                                          testing::ValuesIn(suiteBackends())),
                         [](const auto& info) {
                             return std::get<0>(info.param) + (std::get<1>(info.param) == Backend::Gloo ? "_gloo" : "");
                         });

}  // namespace
}  // namespace dasgd::test
