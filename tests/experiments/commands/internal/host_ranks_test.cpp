// `dasgd host-ranks`: nothing for people, and nothing left once its input ends.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/base/process.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HostRanksCommand, IsNotListedAndEndsWithItsInput) {
    const test::DasgdFolder folder;
    EXPECT_THAT(folder.run({"--help"}).out, Not(HasSubstr("host-ranks")));
    auto child = ChildProcess::start({.program = test::kProgram, .arguments = {"host-ranks"}});
    ASSERT_TRUE(child);
    const auto exit = child->awaitEnd(20'000'000'000);
    ASSERT_TRUE(exit) << "its input is /dev/null";
    EXPECT_EQ(exit->code, 0);
}

}  // namespace
}  // namespace dasgd::experiments
