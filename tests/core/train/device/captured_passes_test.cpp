#include "core/train/device/captured_passes.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include "tests/support/gpu/host_device.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CapturedPassesTest : public ::testing::Test {
protected:
    [[nodiscard]] CapturedPasses over(HostDevice& device) {
        return {device,
                {.forward = [this] { seen.push_back(batch.inputs.sum().item<double>()); },
                 .backward = [this] { ++backwards; }},
                [this](const std::string& why) { notes.push_back(why); }};
    }
    // Makes one step of a batch filled with `value`; true if its passes were captured ones.
    bool step(CapturedPasses& passes, double value, std::int64_t samples = 4, const std::string& impossible = "") {
        batch = {torch::full({samples, 2}, value, kAccelerator), torch::zeros({samples}, kAccelerator)};
        if (!passes.captures(batch, impossible)) return false;
        passes.forward();
        passes.backward();
        return true;
    }
    Batch batch;
    std::vector<double> seen;
    int backwards = 0;
    std::vector<std::string> notes;
};

TEST_F(CapturedPassesTest, ReplaysSeeTheBatchOfTheirStep) {
    HostDevice device(HostDevice::Capture::Keeps);
    CapturedPasses passes = over(device);
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(step(passes, 9)) << "the first steps are the caller's";
    EXPECT_TRUE(step(passes, 1));
    EXPECT_TRUE(step(passes, 2));
    EXPECT_FALSE(step(passes, 7, 3)) << "a short batch is no part of it";
    EXPECT_TRUE(step(passes, 3));
    EXPECT_THAT(seen, ElementsAre(8, 16, 24)) << "8 numbers a batch";
    EXPECT_EQ(backwards, 3);
    EXPECT_EQ(device.captured(), 2);
    EXPECT_EQ(device.replayed(), 6);
    EXPECT_THAT(notes, IsEmpty());
}

TEST_F(CapturedPassesTest, WhatIsRefusedIsToldOnceAndComputedByTheCaller) {
    HostDevice device(HostDevice::Capture::Refuses);
    CapturedPasses passes = over(device);
    for (int i = 0; i < 6; ++i) EXPECT_FALSE(step(passes, 1));
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_THAT(notes[0], HasSubstr("cannot be captured (operation not permitted"));
    EXPECT_THAT(seen, IsEmpty());
}

TEST_F(CapturedPassesTest, WhatIsImpossibleIsNotTried) {
    HostDevice device(HostDevice::Capture::Keeps);
    CapturedPasses passes = over(device);
    for (int i = 0; i < 6; ++i) EXPECT_FALSE(step(passes, 1, 4, "someone listens"));
    ASSERT_THAT(notes, SizeIs(1));
    EXPECT_THAT(notes[0], HasSubstr("someone listens"));
    EXPECT_EQ(device.captured(), 0);
}

}  // namespace
}  // namespace dasgd::test
