// Numbers of workers as people write them, and what becomes of a file at each of them.
#include "experiments/tools/report/scaling_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/schema/toml_reader.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string refusal(const std::string& list) {
    const auto counts = parseWorkerCounts(list);
    return counts ? "taken" : counts.error().message;
}

TEST(ScalingPlan, ReadsNumbersOfWorkers) {
    EXPECT_THAT(*parseWorkerCounts("8, 1,2,8"), ElementsAre(1, 2, 8));
    EXPECT_THAT(*parseWorkerCounts("1..3,16"), ElementsAre(1, 2, 3, 16));
    EXPECT_THAT(*parseWorkerCounts("1,2,...,16"), ElementsAre(1, 2, 4, 8, 16));
    EXPECT_THAT(*parseWorkerCounts("1,2,…,4,12,…,108"), ElementsAre(1, 2, 4, 12, 36, 108));
}

TEST(ScalingPlan, RefusesWhatIsNoNumberOfWorkers) {
    EXPECT_THAT(refusal("1,two"), HasSubstr("\"two\" is no whole number; write them as 1,2,4,8"));
    EXPECT_THAT(refusal(""), HasSubstr("no whole number"));
    EXPECT_THAT(refusal("1,,2"), HasSubstr("no whole number"));
    EXPECT_THAT(refusal("0,1"), HasSubstr("at least 1"));
    EXPECT_THAT(refusal("4..2"), HasSubstr("must rise"));
    EXPECT_THAT(refusal("5000"), HasSubstr("at most 4096"));
    EXPECT_THAT(refusal("1,2,..."), HasSubstr("no end"));
    EXPECT_THAT(refusal("1,2,...,9"), HasSubstr("does not lead to 9"));
    EXPECT_THAT(refusal("2,3,...,9"), HasSubstr("does not lead to 9"));
    EXPECT_THAT(refusal("1,1,...,9"), HasSubstr("does not lead to 9"));
    EXPECT_THAT(refusal("...,4"), HasSubstr("does not lead to 4"));
    EXPECT_THAT(refusal("1,2,...,...,8"), HasSubstr("two ellipses"));
}

class ScalingPlanTest : public ::testing::Test {
protected:
    Result<ScalingPlan> plan(const std::string& text, const std::vector<int>& counts, Scaling scaling,
                             const Overrides& overrides = {}) {
        test::writeText(folder_ / "e.toml", text);
        return planScaling((folder_ / "e.toml").string(), overrides, counts, scaling);
    }
    static std::string text(const std::string& more = "") {
        return "name = \"x\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"mlp\"\n[train]\nsteps = 3\n"
               "batch_size = 24\n[cluster]\nbackend = \"virtual\"\nworkers = 3\n[compute]\nstep_time = \"6ms\"\n"
               "mode = \"time-only\"\n" +
               more;
    }
    static std::string setting(const ScalingJob& job, const char* section, const char* key) {
        return job.experiment.resolved.find(section)->find(key)->toToml();
    }
    test::TempDir folder_;
};

TEST_F(ScalingPlanTest, WeakScalingChangesTheWorkersAlone) {
    const auto made = plan(text(), {2, 4}, Scaling::Weak);
    ASSERT_TRUE(made) << made.error().message;
    ASSERT_EQ(made->jobs.size(), 2U);
    EXPECT_EQ(made->jobs[1].experiment.workers, 4);
    EXPECT_EQ(setting(made->jobs[1], "train", "batch_size"), "24");
    EXPECT_EQ(setting(made->jobs[1], "compute", "step_time"), "\"6ms\"");
    EXPECT_EQ(made->jobs[0].place.weak, made->jobs[1].place.weak);
    EXPECT_EQ(made->configurations.size(), 1U);
}

TEST_F(ScalingPlanTest, StrongScalingSharesBatchAndStepTimeOut) {
    const auto made = plan(text(), {2, 4, 16}, Scaling::Strong);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(setting(made->jobs[0], "train", "batch_size"), "24") << "the file's batch is that of the smallest";
    EXPECT_EQ(setting(made->jobs[0], "compute", "step_time"), "\"6ms\"");
    EXPECT_EQ(setting(made->jobs[1], "train", "batch_size"), "12");
    EXPECT_EQ(setting(made->jobs[1], "compute", "step_time"), "\"3ms\"");
    EXPECT_EQ(setting(made->jobs[2], "train", "batch_size"), "3");
    EXPECT_EQ(setting(made->jobs[2], "compute", "step_time"), "\"0.75ms\"");
    EXPECT_EQ(made->configurations.size(), 1U) << "one line, although batch and step time differ";
}

TEST_F(ScalingPlanTest, AMeasuredStepTimeStaysToBeMeasured) {
    const auto made = plan(text(), {1, 2}, Scaling::Strong, {.set = {"compute.step_time=measured"}});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(setting(made->jobs[1], "compute", "step_time"), "\"measured\"");
    EXPECT_EQ(setting(made->jobs[1], "train", "batch_size"), "12");
}

TEST_F(ScalingPlanTest, ABatchThatDoesNotDivideIsRefusedAtItsPlace) {
    const auto made = plan(text(), {1, 2, 16}, Scaling::Strong);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("e.toml:8:14: "));
    EXPECT_THAT(made.error().message, HasSubstr("the 24 samples of a step (batch_size 24 at 1 worker)"));
    EXPECT_THAT(made.error().message, HasSubstr("leave 16 out, or take batch_size 32"));
}

TEST_F(ScalingPlanTest, AFileWithoutABatchHasThatOfTheSchema) {
    std::string without = text();
    without.erase(without.find("batch_size = 24\n"), std::string("batch_size = 24\n").size());
    const auto made = plan(without, {1, 4}, Scaling::Strong);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(setting(made->jobs[1], "train", "batch_size"), "8") << "a quarter of 32";
    const auto uneven = plan(without, {1, 3}, Scaling::Strong);
    ASSERT_FALSE(uneven);
    EXPECT_THAT(uneven.error().message, HasSubstr("take batch_size 33"));
}

TEST_F(ScalingPlanTest, ConfigurationsComeFromTheSweepAndSeedsDoNot) {
    const auto made = plan(text("[sweep]\n\"algorithm\" = [{ name = \"sync_sgd\" }, { name = \"independent\" }]\n"),
                           {1, 2}, Scaling::Weak, {.sweep = {"train.seed=1,2", "compute.seed=1,2"}});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->jobs.size(), 16U);
    EXPECT_EQ(made->configurations.size(), 2U);
    EXPECT_EQ(made->jobs.front().experiment.workers, 1);
    EXPECT_EQ(made->jobs[7].experiment.workers, 1) << "few workers first";
    EXPECT_EQ(made->jobs[8].experiment.workers, 2);
    EXPECT_EQ(made->jobs[1].configuration, 1U) << "each with the same seeds before the next seeds";
    EXPECT_EQ(made->jobs[2].configuration, 0U);
}

TEST_F(ScalingPlanTest, ASweepOverWorkersIsReplaced) {
    const auto made = plan(text(), {2, 4}, Scaling::Weak, {.sweep = {"cluster.workers=1,2,3"}});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->jobs.size(), 2U);
}

TEST_F(ScalingPlanTest, ABatchLargerThanTheShareOfManyWorkersLeavesTheFewOnes) {
    const std::string trained =
        "name = \"x\"\n[algorithm]\nname = \"sync_sgd\"\n[model]\nname = \"logistic\"\n[data]\nname = \"synthetic\"\n"
        "train_samples = 64\n[train]\nsteps = 3\nbatch_size = 24\n[cluster]\nbackend = \"threads\"\nworkers = 2\n";
    const auto made = plan(trained, {1, 2, 4}, Scaling::Weak, {.sweep = {"train.seed=1,2"}});
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->jobs.size(), 4U);
    ASSERT_EQ(made->refused.size(), 1U) << "both seeds, for one reason";
    EXPECT_EQ(made->refused[0].workers, 4);
    EXPECT_EQ(made->refused[0].configuration, 0U);
    EXPECT_THAT(made->refused[0].why, HasSubstr("e.toml:11:14: batch_size is 24 and each of 4 workers has 16"));
    EXPECT_THAT(made->refused[0].why, HasSubstr("cluster.workers=4"));
    const auto none = plan(trained, {4, 8}, Scaling::Weak);
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, HasSubstr("each of 4 workers has 16"));
}

TEST_F(ScalingPlanTest, WrongFilesAreRefusedAsByRun) {
    const auto made = plan(text("[train2]\n"), {1, 2}, Scaling::Strong);
    ASSERT_FALSE(made);
    EXPECT_THAT(made.error().message, HasSubstr("e.toml:15:"));
    std::string wrongType = text();
    wrongType.replace(wrongType.find("24"), 2, "\"many\"");
    const auto many = plan(wrongType, {1, 2}, Scaling::Strong);
    ASSERT_FALSE(many);
    EXPECT_THAT(many.error().message, HasSubstr("batch_size must be an integer"));
}

}  // namespace
}  // namespace dasgd::experiments
