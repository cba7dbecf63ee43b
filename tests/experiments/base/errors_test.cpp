#include "experiments/base/errors.h"

#include <gtest/gtest.h>

namespace dasgd::experiments {
namespace {

TEST(Errors, AreOneCleanLineAndTheStatusOfAWrongInput) {
    ::testing::internal::CaptureStderr();
    EXPECT_EQ(refuse({"bad \x1b[31m"}), kWrongInput);
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "dasgd: bad \\x1b[31m\n");
}

}  // namespace
}  // namespace dasgd::experiments
