#include "core/experiment/checkpoint_params.h"

#include <gmock/gmock.h>

#include "core/experiment/experiment.h"
#include "tests/support/small_experiments.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

CheckpointInterval every(const std::string& text) {
    const CheckpointParams params{.every = text};
    EXPECT_FALSE(params.check()) << text;
    return params.interval();
}

TEST(CheckpointParams, AreStepsOrATime) {
    EXPECT_EQ(every("500 steps").steps, 500);
    EXPECT_EQ(every("500steps").steps, 500);
    EXPECT_EQ(every("1 step").steps, 1);
    EXPECT_EQ(every("500 steps").time, 0);
    EXPECT_EQ(every("10min").time, 600'000'000'000);
    EXPECT_EQ(every("1.5h").time, 5'400'000'000'000);
    EXPECT_EQ(every("10min").steps, 0);
}

TEST(CheckpointParams, RefuseWhatIsNeither) {
    for (const char* text : {"", "10", "0 steps", "-3 steps", "ten steps", "0s", "100ms", "5 parsecs", "1.5 steps",
                             "99999999999999999999 steps", "500 steps more"}) {
        const auto broken = CheckpointParams{.every = text}.check();
        ASSERT_TRUE(broken) << text;
        EXPECT_EQ(broken->field, "every");
        EXPECT_THAT(broken->message, HasSubstr("\"10min\"")) << text;
    }
}

TEST(CheckpointParams, StandInTheTrainSection) {
    Value document = minimal();
    document.set("train", table({{"checkpoint", table({{"every", text("20 steps")}, {"keep", integer(2)}})}}));
    const auto experiment = readExperiment(document);
    ASSERT_TRUE(experiment) << experiment.error().message;
    ASSERT_TRUE(experiment->train.checkpoint);
    EXPECT_EQ(experiment->train.checkpoint->interval().steps, 20);
    EXPECT_FALSE(readExperiment(minimal())->train.checkpoint) << "off unless asked for";
    document.set("train", table({{"checkpoint", table({{"every", text("often")}})}}));
    EXPECT_THAT(readExperiment(document).error().message, HasSubstr("every is 'often'"));
    document.set("train", table({{"checkpoint", table({{"best", boolean(true)}})}}));
    EXPECT_THAT(readExperiment(document).error().message, HasSubstr("set validation in [data]"));
    document.set("train", table({{"checkpoint", table({{"keep", integer(0)}})}}));
    EXPECT_THAT(readExperiment(document).error().message, HasSubstr("keep"));
}

}  // namespace
}  // namespace dasgd::test
