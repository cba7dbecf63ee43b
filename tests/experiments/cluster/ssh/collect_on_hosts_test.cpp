#include "experiments/cluster/ssh/collect_on_hosts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(CollectOnHosts, SaysWhatCameAndWhatIsInTheWay) {
    EXPECT_EQ(collectedInWords({}), "no host that was asked keeps records that the first one lacks");
    EXPECT_EQ(collectedInWords({.found = 3, .complete = 2, .problems = {"node2: no answer"}}),
              "the first host lacked records of 3 ranks; complete are now those of 2\nnode2: no answer");
    EXPECT_TRUE(CollectedRanks{}.isComplete());
    EXPECT_FALSE((CollectedRanks{.found = 3, .complete = 2, .problems = {}}.isComplete()));
}

TEST(CollectOnHosts, WithoutTheFirstHostThereIsNowhereToBringThem) {
    const test::TempDir folder;
    const test::StandInHosts hosts(folder.path(), {"node2"});
    ::setenv(SshCommand::kVariable, hosts.program().c_str(), 1);
    ClusterProfile profile;
    profile.kind = ClusterProfile::kSsh;
    profile.hosts = {"node1", "node2"};
    profile.interface = "lo";
    profile.dasgd = test::kProgram;
    SshCluster cluster(profile);
    EXPECT_EQ(cluster.reconnect(), (std::vector<std::size_t>{1}));
    const auto collected = collectOnHosts(cluster);
    ::unsetenv(SshCommand::kVariable);
    ASSERT_FALSE(collected);
    EXPECT_THAT(collected.error().message, HasSubstr("node1: is not there"));
}

}  // namespace
}  // namespace dasgd::experiments
