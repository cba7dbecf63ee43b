// Networks from platform files of SimGrid: facts known without SimGrid, and the hosts that ranks get.
#include "core/sim/network/platform.h"

#include <gmock/gmock.h>

#include <fstream>

#include "tests/support/sim/messages.h"
#include "tests/support/sim/platforms.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Platform : public ::testing::Test {
protected:
    [[nodiscard]] std::filesystem::path write(const std::string& text) const {
        std::ofstream(folder_ / "cluster.xml", std::ios::binary) << text;
        return folder_ / "cluster.xml";
    }
    [[nodiscard]] std::string refusal(const std::string& text, const std::string& checksum = "") const {
        const auto opened = openPlatform(write(text), checksum);
        return opened ? std::string() : opened.error().message;
    }
    TempDir folder_;
};

TEST_F(Platform, IsKnownByItsContent) {
    const std::string checksum = openPlatform(write(clusterPlatform(4)), "").value().file.checksum;
    EXPECT_EQ(openPlatform(write(clusterPlatform(4)), checksum).value().file.checksum, checksum);
    EXPECT_THAT(refusal(clusterPlatform(5), checksum), HasSubstr("has changed: its checksum is crc32c:"));
}

TEST_F(Platform, RefusesWhatIsNoPlatform) {
    EXPECT_THAT(refusal("hosts = 4\n"), HasSubstr("is no platform file"));
    EXPECT_THAT(refusal("<html/>\n"), HasSubstr("has no <platform>"));
    EXPECT_THAT(refusal(""), HasSubstr("is no platform file"));
    EXPECT_THAT(openPlatform(folder_ / "none.xml", "").error().message, HasSubstr("no such platform file"));
    EXPECT_THAT(openPlatform(folder_.path(), "").error().message, HasSubstr("is no file"));
    EXPECT_THAT(openPlatform("/dev/zero", "").error().message, HasSubstr("is no file"));
    EXPECT_THAT(refusal(std::string((16 << 20) + 1, ' ')), HasSubstr("larger than 16 MiB"));
    EXPECT_THAT(openPlatform("", "").error().message, HasSubstr("write file = \"cluster.xml\""));
}

TEST_F(Platform, ReadsListsOfNames) {
    EXPECT_THAT(hostNames("node-0,node-7 , a"), ElementsAre("node-0", "node-7", "a"));
    EXPECT_THAT(hostNames(" "), ElementsAre());
}

// Hosts in the order of the file, which is not that of their names: rank 0 is zeta. A way through the slow link tells.
TEST_F(Platform, TakesHostsInTheOrderOfTheFile) {
    const std::string routes =
        "<route src=\"zeta\" dst=\"lonely\"><link_ctn id=\"wire\"/></route>\n"
        "<route src=\"alpha\" dst=\"lonely\"><link_ctn id=\"slow\"/></route>\n";
    const auto file = write(threeHosts("Full", "1Gbps", routes));
    const auto took = messages("platform", table({{"file", text(file.string())}}), 3, {{0, 1}, {1, 2}});
    EXPECT_NEAR(took[0], kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], kHop + 10 * kTransfer, kClose);
}

TEST_F(Platform, TakesTheHostsThatAreNamed) {
    const std::string routes =
        "<route src=\"zeta\" dst=\"lonely\"><link_ctn id=\"wire\"/></route>\n"
        "<route src=\"alpha\" dst=\"lonely\"><link_ctn id=\"slow\"/></route>\n";
    const auto file = write(threeHosts("Full", "1Gbps", routes));
    const Value network = table({{"file", text(file.string())}, {"hosts", text("alpha, lonely")}});
    EXPECT_NEAR(messages("platform", network, 2, {{0, 1}})[0], kHop + 10 * kTransfer, kClose);
}

// Routes that SimGrid computes only once the platform is sealed: through a switch, by each kind of routing. A run asks
// for them before its first message.
class PlatformRouting : public Platform, public ::testing::WithParamInterface<const char*> {};

TEST_P(PlatformRouting, LeadsOverSeveralLinks) {
    const auto file = write(switchedPlatform(GetParam(), 3));
    const auto took = messages("platform", table({{"file", text(file.string())}}), 3, {{0, 1}, {2, 0}});
    EXPECT_NEAR(took[0], 2 * kHop + kTransfer, kClose);
    EXPECT_NEAR(took[1], 2 * kHop + kTransfer, kClose);
}

INSTANTIATE_TEST_SUITE_P(Kinds, PlatformRouting, ::testing::Values("Dijkstra", "DijkstraCache", "Floyd"),
                         [](const auto& info) { return std::string(info.param); });

// Vivaldi's coordinates: the distance in the plane and both heights, in milliseconds; here 5 + 0 + 1.
TEST_F(Platform, TakesPeersByTheirCoordinates) {
    const std::string peer = "speed=\"1Gf\" bw_in=\"1Gbps\" bw_out=\"1Gbps\"/>";
    const auto file = write(platform("<zone id=\"z\" routing=\"Vivaldi\">\n<peer id=\"a\" coordinates=\"0 0 0\" " +
                                     peer + "<peer id=\"b\" coordinates=\"3 4 1\" " + peer + "</zone>\n"));
    EXPECT_NEAR(messages("platform", table({{"file", text(file.string())}}), 2, {{0, 1}})[0], 6 * kHop + kTransfer,
                kClose);
}

// SimGrid would carry any number of bytes between them at once.
TEST_F(Platform, RefusesHostsThatHaveCoordinatesAndNoLink) {
    const auto file =
        write(platform("<zone id=\"z\" routing=\"Vivaldi\">\n<host id=\"a\" speed=\"1Gf\" coordinates=\"0 0 "
                       "0\"/><host id=\"b\" speed=\"1Gf\" coordinates=\"3 4 1\"/></zone>\n"));
    const auto image = PlatformImage::make(openPlatform(file, "").value());
    ASSERT_TRUE(image);
    EXPECT_THAT(checkPlatform(*image, {}, 2, {}).error().message,
                AllOf(HasSubstr("from host 'a' to host 'b' has a latency and no link"), HasSubstr("<peer>")));
}

TEST_F(Platform, RefusesHostsThatDoNotGoRound) {
    const auto refused = [](const std::string& hosts) {
        const auto fits =
            TopologyRegistry::find("platform")->create(table({{"hosts", text(hosts)}}), {}).value()->check(3);
        return fits ? std::string() : fits.error().message;
    };
    EXPECT_THAT(refused("a, b"), HasSubstr("hosts names 2 hosts for 3 workers"));
    EXPECT_THAT(refused("a, b, a"), HasSubstr("'a' twice"));
    EXPECT_EQ(refused("a, b, c, d"), "");
    EXPECT_EQ(refused(""), "");
}

}  // namespace
}  // namespace dasgd::test
