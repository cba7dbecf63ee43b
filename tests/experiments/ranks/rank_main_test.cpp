// The experiment that a rank reads first, and its report where it could not train.
#include "experiments/ranks/rank_main.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(RankMain, TrainsOneExperimentNotASweep) {
    const test::TempDir folder;
    const std::string file = (folder / "e.toml").string();
    test::writeText(file, test::quickExperiment());
    const auto one = readSingleExperiment(file, {{"cluster.timeout_s=1.5"}, {}});
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_EQ(one->cluster.deadline(), std::chrono::milliseconds(1500));
    const auto two = readSingleExperiment(file, {{}, {"train.seed=1,2"}});
    ASSERT_FALSE(two);
    EXPECT_THAT(two.error().message, HasSubstr("stands for 2 experiments"));
}

TEST(RankMain, ReportsARankThatCouldNotTrain) {
    const RankReport report = failedRank(2, {"no journal"}, nullptr);
    EXPECT_EQ(report.rank, 2);
    EXPECT_EQ(report.state, RankState::Failed);
    EXPECT_EQ(report.error, "no journal");
    EXPECT_GT(report.at, 0);
}

}  // namespace
}  // namespace dasgd::experiments
