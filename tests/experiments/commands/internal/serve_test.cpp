// `dasgd serve --stdio` by itself; tests/experiments/transport/mirror tests it under `dasgd mirror`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ServeCommand, IsForMirrorsAlone) {
    const test::DasgdFolder folder;
    EXPECT_THAT(folder.run({"--help"}).out, Not(HasSubstr("\n  serve")));
    const test::Ended bare = folder.run({"serve", "-w", "w"});
    EXPECT_EQ(bare.exit, 2);
    EXPECT_THAT(bare.err, HasSubstr("--stdio"));
    EXPECT_THAT(folder.run({"serve", "--help"}).out, HasSubstr("nothing\nlistens"));
}

TEST(ServeCommand, AWorkspaceThatIsNotThereIsSaidAndNotMade) {
    const test::DasgdFolder folder;
    const test::Ended ended = folder.run({"serve", "--stdio", "-w", "w"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, HasSubstr("there is no workspace in w"));
    EXPECT_THAT(ended.out, HasSubstr("there is no workspace in w")) << "for the other side";
    EXPECT_FALSE(std::filesystem::exists(folder.workspace()));
}

}  // namespace
}  // namespace dasgd::experiments
