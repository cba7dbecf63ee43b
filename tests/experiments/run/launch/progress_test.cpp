// Text of a progress bar.
#include "experiments/run/launch/progress.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

TEST(Progress, SaysHowFarAndHowLong) {
    EXPECT_EQ(Progress::barText(0, 100, 0, 10), "[..........]   0 %  0/100 steps");
    EXPECT_EQ(Progress::barText(40, 100, 4, 10), "[####......]  40 %  40/100 steps  10 steps/s  ETA 6.0 s");
    EXPECT_EQ(Progress::barText(100, 100, 50, 10), "[##########] 100 %  100/100 steps  2.0 steps/s  ETA 0.0 s");
}

TEST(Progress, BearsMoreStepsThanPlanned) {
    EXPECT_EQ(Progress::barText(5, 4, 0, 4), "[####] 100 %  5/4 steps");
    EXPECT_EQ(Progress::barText(5, 0, 0, 4), "[....]   0 %  5/0 steps");
}

TEST(Progress, IsSilentWhenAskedTo) {
    EXPECT_EQ(Progress::styleFor(true), Progress::Style::Silent);
    ::testing::internal::CaptureStderr();
    {
        Progress progress("x", 10, Progress::Style::Silent);
        progress.update(3);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Progress, ForAProgramEachLineIsJson) {
    EXPECT_EQ(Progress::styleFor(true, true), Progress::Style::Json) << "who asks for lines gets them";
    ::testing::internal::CaptureStderr();
    {
        Progress progress("2/4 \"x\"", 10, Progress::Style::Json);
        progress.update(10, "stopping");
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(),
              "{\"progress\":{\"completed\":0,\"remark\":\"\",\"title\":\"2/4 \\\"x\\\"\",\"total\":10}}\n"
              "{\"progress\":{\"completed\":10,\"remark\":\"stopping\",\"title\":\"2/4 \\\"x\\\"\",\"total\":10}}\n");
}

}  // namespace
}  // namespace dasgd::experiments
