// The plug-in. Reading of platform files is tested in tests/core/sim/network/platform_test.cpp.
#include <gmock/gmock.h>

#include "tests/support/sim/messages.h"
#include "tests/support/sim/platforms.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Topology> topology(const Value& fields) {
    return std::move(TopologyRegistry::find("platform")->create(fields, {}).value());
}

TEST(PlatformTopology, HasRoomForAsManyRanksAsHostsAreNamed) {
    const auto named = topology(table({{"file", text("cluster.xml")}, {"hosts", text("a, b")}}));
    EXPECT_TRUE(named->check(2));
    EXPECT_THAT(named->check(3).error().message, HasSubstr("hosts names 2 hosts for 3 workers"));
    const auto twice = topology(table({{"file", text("cluster.xml")}, {"hosts", text("a, a")}}));
    EXPECT_THAT(twice->check(2).error().message, HasSubstr("names 'a' twice"));
    EXPECT_TRUE(topology(table({{"file", text("cluster.xml")}}))->check(1000))
        << "only SimGrid knows how many there are";
}

TEST(PlatformTopology, ReadsAFileFromTheFolderOfTheExperiment) {
    const TempDir folder;
    const auto missing = topology(table({{"file", text("none.xml")}}))->open(folder.path());
    ASSERT_FALSE(missing);
    EXPECT_THAT(missing.error().message, HasSubstr((folder.path() / "none.xml").string()));
}

}  // namespace
}  // namespace dasgd::test
