#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

TEST(ExtraCommand, PrintsAWord) {
    const test::DasgdFolder folder;
    EXPECT_EQ(folder.run({"extra-command"}).out, "extra\n");
}

}  // namespace
}  // namespace dasgd::experiments
