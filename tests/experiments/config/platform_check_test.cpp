// A platform is looked at by another process, whatever SimGrid does to that.
#include "experiments/config/platform_check.h"

#include <gmock/gmock.h>

#include "tests/support/dasgd_program.h"
#include "tests/support/paths.h"
#include "tests/support/sim/platforms.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

std::string refusal(const std::string& text, int workers, Ns patience = kPlatformPatience) {
    const test::DasgdFolder folder;
    folder.write("cluster.xml", text);
    const Status fits =
        askAboutPlatform({.file = folder.path() / "cluster.xml", .workers = workers}, test::kProgram, patience);
    return fits ? std::string() : fits.error().message;
}

TEST(PlatformCheck, IsContentWithWhatWorks) {
    EXPECT_EQ(refusal(test::clusterPlatform(8), 8), "");
    EXPECT_EQ(refusal(test::threeHosts("Full", "1Gbps"), 2), "") << "nobody asks for the host that is cut off";
}

TEST(PlatformCheck, GivesUpOnWhatDoesNotEnd) {
    EXPECT_THAT(refusal(test::slowPlatform(900), 900, 500'000'000),
                HasSubstr("its check did not end within 0.5 s; fewer workers, or routing=\"DijkstraCache\""));
}

TEST(PlatformCheck, SaysSoWhereTheProgramIsNoUse) {
    const Status fits = askAboutPlatform({.file = "cluster.xml", .workers = 1}, "/bin/false");
    ASSERT_FALSE(fits);
    EXPECT_THAT(fits.error().message, HasSubstr("its process ended with exit status 1"));
}

}  // namespace
}  // namespace dasgd::experiments
