// A backend that only this test knows: registered here, it is described, checked, opened and trained on.
#include "core/train/open_host.h"

#include <gmock/gmock.h>

#include <gtest/gtest.h>
#include <algorithm>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;

struct LockstepParams {
    std::int64_t turns = 1;
    void visit(auto&& f) { f(turns, "turns", {.min = 1, .max = 9, .help = "Of the test alone"}); }
};

// Threads under another name, with a field of its own.
class LockstepBackend final : public dasgd::Backend {
public:
    explicit LockstepBackend(const LockstepParams&)
        : threads_(BackendRegistry::find("threads")->create(Value(), {}).value()) {}
    [[nodiscard]] Layout layout(int ranks) const override { return threads_->layout(ranks); }
    [[nodiscard]] Status check(const Value& document, const ClusterParams& cluster) const override {
        if (cluster.workers > 3) return document.find("cluster")->find("workers")->error("three at most");
        return threads_->check(document, cluster);
    }
    [[nodiscard]] Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const override {
        return threads_->open(request);
    }

private:
    std::unique_ptr<dasgd::Backend> threads_;
};

const BackendRegistry::Add<LockstepBackend, LockstepParams> kLockstepEntry{"lockstep", "threads, of a test"};

Value onLockstep(int workers, Fields more = {}) {
    Value document = QuadraticProblem{.workers = workers}.experiment({{"name", text("local_sgd")}});
    Fields cluster{{"backend", text("lockstep")}, {"workers", integer(workers)}};
    for (auto& field : more) cluster.push_back(std::move(field));
    document.set("cluster", table(std::move(cluster)));
    return document;
}

TEST(OpenHost, ABackendOfOneFileTrains) {
    const QuadraticProblem problem{.workers = 3};
    const auto experiment = readExperiment(onLockstep(3, {{"turns", integer(2)}}));
    ASSERT_TRUE(experiment) << experiment.error().message;
    std::vector<RankRecord> records(3);
    MonotonicClock clock;
    auto host =
        openHost(*experiment, nullptr,
                 {.ranks = experiment->layout.processes.front(), .clock = clock, .sink = [&](Rank rank) -> EventSink& {
                      return records[static_cast<std::size_t>(rank.value())].sink;
                  }});
    ASSERT_TRUE(host) << host.error().message;
    (*host)->run([&](HostedRank& rank) {
        RankRecord& own = records[static_cast<std::size_t>(rank.comm.rank().value())];
        own.outcome = runWorker(*experiment, {rank.comm, rank.clock, own.sink, rank.gate, rank.executor});
    });
    SerialMerge oracle{.period = 4, .delay = 0, .xi = 0, .c = 0};
    expectSame(recorded(records), serial(problem, oracle), 1e-12);
}

TEST(OpenHost, ItsOwnFieldIsReadRangedResolvedAndDescribed) {
    EXPECT_EQ(readExperiment(onLockstep(2, {{"turns", integer(4)}}))->resolved.find("cluster")->find("turns")->toToml(),
              "4");
    EXPECT_THAT(readExperiment(onLockstep(2, {{"turns", integer(10)}})).error().message, HasSubstr("turns"));
    EXPECT_THAT(readExperiment(onLockstep(2, {{"tuns", integer(1)}})).error().message, HasSubstr("'turns'"));
    for (const SchemaSection& section : describeExperiment().sections) {
        if (section.name != "cluster") continue;
        EXPECT_EQ(section.fields.front().spec.choices, backendNames());
        EXPECT_THAT(section.fields.front().spec.help, HasSubstr("lockstep: threads, of a test"));
        EXPECT_TRUE(std::ranges::any_of(section.fields, [](const FieldInfo& field) { return field.name == "turns"; }));
    }
}

TEST(OpenHost, ItsCheckRefusesAnExperiment) {
    EXPECT_THAT(readExperiment(onLockstep(4)).error().message, HasSubstr("three at most"));
}

}  // namespace
}  // namespace dasgd::test
