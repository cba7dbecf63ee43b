#include "core/experiment/plan_experiment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/small_experiments.h"

namespace dasgd {
namespace {

using test::array;
using test::integer;
using test::minimal;
using test::quadratic;
using test::section;
using test::table;
using test::text;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string planErrorOf(const Value& document) {
    const auto experiment = readExperiment(document);
    EXPECT_TRUE(experiment) << experiment.error().message;
    const auto plan = planExperiment(*experiment);
    EXPECT_FALSE(plan);
    return plan ? "" : plan.error().message;
}

TEST(PlanExperiment, StepsFollowSamplesWorkersAndBatch) {
    Value document = minimal();
    section(document, "train") = table({{"epochs", integer(3)}, {"batch_size", integer(32)}});
    section(document, "cluster").set("workers", integer(4));
    const auto plan = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->stepsPerEpoch, 32);  // ⌈1000 / 32⌉
    EXPECT_EQ(plan->totalSteps, 96);
    EXPECT_EQ(plan->evalEvery, 32);
    EXPECT_EQ(plan->samplesAfter(96), 3 * 4000);
    EXPECT_EQ(plan->parameters, 61'706);

    section(document, "data").set("drop_last", test::boolean(true));
    const auto dropping = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(dropping);
    EXPECT_EQ(dropping->stepsPerEpoch, 31);  // ⌊1000 / 32⌋
    EXPECT_EQ(dropping->samplesAfter(93), 93 * 128);

    section(document, "train") =
        table({{"steps", integer(7)}, {"batch_size", integer(3000)}, {"eval_every", integer(2)}});
    const auto few = planExperiment(readExperiment(document).value());
    ASSERT_TRUE(few);
    EXPECT_EQ(few->stepsPerEpoch, 1);
    EXPECT_EQ(few->totalSteps, 7);
    EXPECT_EQ(few->evalEvery, 2);
}

TEST(PlanExperiment, GradientSharesMustFitTheModel) {
    Value document = quadratic();
    document.set("cluster", table({{"backend", text("virtual")}, {"workers", integer(2)}}));
    document.set("compute", table({{"gradient_shares", array(std::vector<double>{0.5, 0.5})}}));
    EXPECT_THAT(planErrorOf(document), HasSubstr("gradient_shares has 2 numbers and the model 1 parameters"));
}

TEST(PlanExperiment, WithoutDataAnEpochIsAStep) {
    const auto plan = planExperiment(readExperiment(quadratic()).value());
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_EQ(plan->totalSteps, 50);
    EXPECT_EQ(plan->stepsPerEpoch, 1);
    EXPECT_EQ(plan->parameters, 2);
}

TEST(PlanExperiment, RefusesBeforeAnyRankStarts) {
    Value document = quadratic();
    section(document, "model").setPosition(test::at(4, 1));
    section(document, "cluster").set("workers", integer(3));
    EXPECT_THAT(planErrorOf(document), AllOf(StartsWith("test.toml:4:1: "), HasSubstr("2 targets for 3 workers")));

    document = minimal();
    section(document, "data") = table({{"name", text("synthetic")}, {"train_samples", integer(3)}});
    section(document, "cluster").set("workers", integer(4));
    EXPECT_THAT(planErrorOf(document), HasSubstr("3 samples for 4 workers"));

    document = minimal();
    section(document, "data") = table({{"name", text("synthetic")}, {"shape", array<std::int64_t>({20})}});
    EXPECT_THAT(planErrorOf(document), HasSubstr("lenet takes images"));

    document = minimal();
    section(document, "data") = table({{"name", text("mnist")}, {"path", text("/nonexistent")}});
    EXPECT_THAT(planErrorOf(document), HasSubstr("/nonexistent/train-images-idx3-ubyte"));
}

TEST(PlanExperiment, KnowsTheSizeOfTheTrainingSet) {
    EXPECT_EQ(planExperiment(readExperiment(minimal()).value())->trainSamples, 4000);
    EXPECT_EQ(planExperiment(readExperiment(quadratic()).value())->trainSamples, 0);
}

TEST(PlanExperiment, AModelThatNoMemoryHoldsIsRefusedNotThrown) {
    Value document = minimal();
    section(document, "model") =
        table({{"name", text("mlp")}, {"hidden", array<std::int64_t>({1'000'000, 1'000'000})}});
    EXPECT_THAT(planErrorOf(document), AllOf(HasSubstr("cannot be made"), HasSubstr("memory")));
}

}  // namespace
}  // namespace dasgd
