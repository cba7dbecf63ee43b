// Facts that a host reports of itself, over loopback.
#include "experiments/cluster/host/host_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(HostFacts, NameProgramAndAddress) {
    const test::TempDir folder;
    const nlohmann::json facts =
        hostFacts({{"workspace", (folder / "w").string()}, {"interface", "lo"}, {"towards", ""}});
    EXPECT_EQ(facts["version"], DASGD_VERSION);
    EXPECT_EQ(facts["address"], "127.0.0.1");
    EXPECT_FALSE(facts["build"].get<std::string>().empty());
    EXPECT_TRUE(facts["lacks"].empty()) << facts["lacks"];
    EXPECT_EQ(hostFacts({{"workspace", "w"}, {"towards", "127.0.0.1"}})["address"], "127.0.0.1");
}

TEST(HostFacts, ListAllThatIsMissing) {
    const nlohmann::json facts = hostFacts({{"workspace", "/proc/w"}, {"interface", "nowhere0"}});
    ASSERT_EQ(facts["lacks"].size(), 2u) << facts;
    EXPECT_THAT(facts["lacks"][0].get<std::string>(), HasSubstr("nowhere0"));
    EXPECT_THAT(facts["lacks"][1].get<std::string>(), HasSubstr("/proc/w"));
    EXPECT_FALSE(facts.contains("address"));
}

TEST(HostFacts, TellWhetherAPortIsReached) {
    int port = 0;
    {
        const auto open = listenOn("127.0.0.1");
        ASSERT_TRUE(open);
        port = open->port;
        EXPECT_TRUE(reach("127.0.0.1", port));
        const auto taken = listenOn("127.0.0.1", port);
        ASSERT_FALSE(taken);
        EXPECT_THAT(taken.error().message, HasSubstr("`port` in the profile names another"));
    }
    const auto closed = reach("127.0.0.1", port);
    ASSERT_FALSE(closed);
    EXPECT_THAT(closed.error().message, HasSubstr("firewall"));
    EXPECT_FALSE(listenOn("node1"));
}

TEST(HostFacts, KnowTheHomeFolder) {
    ::setenv("HOME", "/h", 1);
    EXPECT_EQ(withHome("~/lab"), "/h/lab");
    EXPECT_EQ(withHome("lab"), "lab");
    EXPECT_EQ(withHome("/local/~/lab"), "/local/~/lab");
}

}  // namespace
}  // namespace dasgd::experiments
