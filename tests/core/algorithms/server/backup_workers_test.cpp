#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::unique_ptr<ServerPolicy> backup(std::int64_t workers) {
    return policyOf("backup_workers", {{"backup", integer(workers)}}, {.workers = 3});
}

TEST(BackupWorkers, TakesTheFirstGradientsOfAVersionAndDropsTheOthers) {
    const auto policy = backup(1);
    EXPECT_TRUE(policy->countsUpdates());
    policy->take({.worker = 2, .clock = 1, .version = 0});
    EXPECT_FALSE(policy->nextUpdate());
    EXPECT_FALSE(policy->mayStart(2));
    policy->take({.worker = 1, .clock = 1, .version = 0});
    EXPECT_THAT(policy->nextUpdate().value().workers, ElementsAre(1, 2));
    EXPECT_THAT(policy->takeDropped(), IsEmpty());
    policy->take({.worker = 0, .clock = 1, .version = 0});
    EXPECT_THAT(policy->takeDropped(), ElementsAre(0));
    EXPECT_FALSE(policy->nextUpdate());
    EXPECT_TRUE(policy->mayStart(0)) << "from the newest weights";
    policy->take({.worker = 0, .clock = 2, .version = 1});
    policy->take({.worker = 1, .clock = 2, .version = 1});
    EXPECT_THAT(policy->nextUpdate().value().workers, ElementsAre(0, 1));
}

TEST(BackupWorkers, AtTheEndWhatIsHeldIsDropped) {
    const auto policy = backup(0);
    policy->take({.worker = 1, .clock = 1, .version = 0});
    policy->noneFollows();
    EXPECT_THAT(policy->takeDropped(), ElementsAre(1));
    EXPECT_FALSE(policy->nextUpdate());
}

// Worker 2 takes thrice as long: with one backup every version is of the other two, and its gradients are dropped. A
// step of the server is an update.
TEST(BackupWorkers, InSimulatedTimeDoesNotWaitForTheSlowestWorker) {
    const QuadraticProblem problem{.workers = 3, .steps = 60, .rate = 0.05, .momentum = 0};
    const auto run = [&](std::int64_t workers) {
        return trainVirtually(
            servedVirtuallyBy(problem, "backup_workers", {{"backup", integer(workers)}}, {1, 1.01, 3, 1}));
    };
    // First, in a process that has no engine yet.
    const double without =
        inChildProcess([&] { return std::vector{static_cast<double>(endOfSteps(run(0)[0]))}; }).at(0);
    const auto with = run(1);
    for (const RankRecord& record : with) EXPECT_EQ(record.outcome.error, "");
    const auto& server = with.back().sink.metrics;
    EXPECT_EQ(server.at("algorithm/gradients").size(), 60U);
    double dropped = 0, taken = 0;
    for (const auto& point : server.at("algorithm/dropped")) dropped += point.value;
    for (const auto& point : server.at("algorithm/gradients")) taken += point.value;
    EXPECT_EQ(taken - dropped, 2 * 60) << "two a version";
    EXPECT_NEAR(dropped, 20, 1.5);
    EXPECT_EQ(std::ssize(with[2].sink.metrics.at("train/loss")), static_cast<std::int64_t>(dropped));
    for (const auto& point : server.at("staleness/updates")) EXPECT_EQ(point.value, 0) << "none is stale";
    EXPECT_NEAR(without / static_cast<double>(endOfSteps(with[0])), 3, 0.15);
}

// Equal objectives: an update of two gradients of one version is that of three.
TEST(BackupWorkers, OfEqualObjectivesIsBulkSynchronousInSimulatedTime) {
    const QuadraticProblem problem{.workers = 3, .steps = 60, .equalTargets = true};
    const auto records =
        trainVirtually(servedVirtuallyBy(problem, "backup_workers", {{"backup", integer(1)}}, {1, 1.01, 3, 1}));
    const Trajectory expected = synchronous(problem);
    const auto& metrics = records.back().sink.metrics;
    for (std::size_t k = 1; k <= 60; ++k) {
        EXPECT_NEAR(metrics.at("weight/0").at(k).value, expected[k][0][0], 1e-12) << "version " << k;
    }
}

TEST(BackupWorkers, NobodyToWaitForIsRefused) {
    const auto algorithm =
        readExperiment(servedBy({.workers = 3}, "backup_workers", {{"backup", integer(3)}})).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4, .parameterShapes = {{3}}});
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->message, HasSubstr("backup is 3 of 3 workers"));
}

const AlgorithmTrial::Add kBackupWorkersTrial{
    {.algorithm = "backup_workers", .fields = {{"backup", integer(0)}}, .repeats = false}};

}  // namespace
}  // namespace dasgd::test
