#include "core/comm/nccl/nccl_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(NcclLibrary, OneThatIsNotThereOrIsAnotherIsRefused) {
    const auto none = loadNccl("libnobody.so.2");
    ASSERT_FALSE(none);
    EXPECT_THAT(none.error().message, AllOf(HasSubstr("libnobody.so.2"), HasSubstr("nvidia-nccl-cu13")));
    const auto other = loadNccl("libm.so.6");
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, AllOf(HasSubstr("libm.so.6"), HasSubstr("ncclAllReduce"), HasSubstr("2.18")));
}

Status checkedWith(int version, int ranksPerDevice) {
    NcclApi api;
    api.version = [version](int* out) {
        *out = version;
        return NcclApi::kSuccess;
    };
    return checkNccl(api, ranksPerDevice);
}

TEST(NcclLibrary, WhatIsTooOldForTheTaskIsRefusedWithWhatToDo) {
    EXPECT_TRUE(checkedWith(21800, 1));
    EXPECT_TRUE(checkedWith(22809, 1));
    EXPECT_TRUE(checkedWith(23001, 4));
    EXPECT_THAT(checkedWith(21405, 1).error().message, AllOf(HasSubstr("NCCL is 2.14.5"), HasSubstr("2.18.0")));
    EXPECT_THAT(checkedWith(22809, 4).error().message,
                AllOf(HasSubstr("NCCL is 2.28.9"), HasSubstr("4 ranks would share one"), HasSubstr("2.30.0")));
}

TEST(NcclLibrary, OneThatDoesNotTellItsVersionIsRefused) {
    NcclApi api;
    api.version = [](int*) { return NcclApi::kSystemError; };
    api.errorText = [](int) { return "unhandled system error"; };
    EXPECT_THAT(checkNccl(api, 1).error().message, HasSubstr("unhandled system error"));
}

}  // namespace
}  // namespace dasgd::test
