// Hosts that are connected and looked at together.
#include "experiments/cluster/ssh/ssh_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/cluster/host/host_messages.h"
#include "tests/support/processes.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class SshClusterTest : public ::testing::Test {
protected:
    SshClusterTest() : hosts_(folder_.path(), {"node1", "node2"}) {
        ::setenv(SshCommand::kVariable, hosts_.program().c_str(), 1);
        ::signal(SIGPIPE, SIG_IGN);
        profile_.kind = ClusterProfile::kSsh;
        profile_.hosts = {"node1", "node2"};
        profile_.interface = "lo";
        profile_.dasgd = test::kProgram;
    }
    ~SshClusterTest() override { ::unsetenv(SshCommand::kVariable); }
    test::TempDir folder_;
    test::StandInHosts hosts_;
    ClusterProfile profile_;
};

TEST_F(SshClusterTest, ChecksTheFileOnTheFirstHost) {
    profile_.threads = 2;
    SshCluster cluster(profile_);
    ASSERT_TRUE(cluster.connect(1));
    int connected = 0;
    cluster.eachHost([&](HostConnection&) { ++connected; });
    EXPECT_EQ(connected, 1);
    EXPECT_EQ(cluster.masterAddress(), "127.0.0.1");
    Overrides overrides;
    overrides.set = {"train.steps=7"};
    const auto experiments = cluster.check(test::quickExperiment(), "e.toml", overrides);
    ASSERT_TRUE(experiments) << experiments.error().message;
    ASSERT_EQ(experiments->size(), 1u);
    EXPECT_EQ(experiments->front().steps, 7);
    EXPECT_THAT(experiments->front().text, HasSubstr("threads_per_worker = 2"));
    const auto wrong = cluster.check("[algorithm]\nname = \"x\"\n[model]\nname = \"mlp\"\n", "e.toml", {});
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, StartsWith("e.toml:2:8: "));
    EXPECT_TRUE(cluster.connect(2));
}

TEST_F(SshClusterTest, ListsEveryHostThatLacksSomething) {
    profile_.hosts = {"node1", "node8", "node9"};
    SshCluster cluster(profile_);
    const Status connected = cluster.connect(3);
    ASSERT_FALSE(connected);
    EXPECT_THAT(connected.error().message, HasSubstr("node8: cannot be reached"));
    EXPECT_THAT(connected.error().message, HasSubstr("\nnode9: cannot be reached"));
    profile_.hosts = {"node1"};
    profile_.interface = "nowhere0";
    profile_.workspace = "/proc/w";
    const Status lacking = SshCluster(profile_).connect(1);
    ASSERT_FALSE(lacking);
    EXPECT_THAT(lacking.error().message, StartsWith("node1: "));
    EXPECT_THAT(lacking.error().message, HasSubstr("nowhere0"));
    EXPECT_THAT(lacking.error().message, HasSubstr("/proc/w"));
}

// A host takes a launcher that says nothing for gone; one that waits for another host is not.
TEST_F(SshClusterTest, TellsAllHostsThatItIsThereWhileOneTakesItsTime) {
    const auto stands = [&](const std::string& host, const std::string& script) {
        const std::string hello = R"({"re":"hello","version":")" DASGD_VERSION R"(","protocol":)" +
                                  std::to_string(kHostProtocol) + R"(,"build":"00","lacks":[]})";
        test::writeText(hosts_.home(host) / "dasgd", "#!/bin/sh\nhead -c 1 >/dev/null\n" +
                                                         test::hostSays(hosts_.home(host) / "hello", hello) + script);
        std::filesystem::permissions(hosts_.home(host) / "dasgd", std::filesystem::perms::owner_all);
    };
    const std::string heard = (folder_ / "heard").string();
    test::writeText(heard, "");
    // The first host is done as soon as the second has received something: a frame of this type is in it.
    const std::string isAlive = "grep -qa \"$(printf '\\006')\" '" + heard + "'";
    static_assert(static_cast<int>(FrameType::Alive) == 6);
    stands(
        "node1",
        "i=0\nuntil " + isAlive + " || [ $i -gt 200 ]; do sleep 0.1; i=$((i+1)); done\n" + isAlive + " && " +
            test::hostSays(hosts_.home("node1") / "plan", R"({"re":"go on","experiment":{},"from":"run","step":7})") +
            "cat >/dev/null\n");
    stands("node2", "cat >>'" + heard + "'\n");
    profile_.dasgd = "~/dasgd";
    SshCluster cluster(profile_);
    const Status connected = cluster.connect(2);
    ASSERT_TRUE(connected) << connected.error().message;
    const auto going = cluster.planResume({{"run", "run"}});
    ASSERT_TRUE(going) << going.error().message;
    EXPECT_EQ(going->step, 7);
}

TEST_F(SshClusterTest, DropsAHostThatDoesNotAnswerAnyMore) {
    SshCluster cluster(profile_);
    ASSERT_TRUE(cluster.connect(2));
    EXPECT_EQ(cluster.answeringHosts(), (std::vector<std::size_t>{0, 1}));
    std::vector<pid_t> children = test::childrenOf(::getpid());
    std::ranges::sort(children);
    ASSERT_EQ(children.size(), 2u);
    ::kill(children.front(), SIGKILL);
    EXPECT_EQ(cluster.answeringHosts(), (std::vector<std::size_t>{1}));
    EXPECT_FALSE(cluster.isThere(0));
}

// A host whose program is another build answers nevertheless.
TEST_F(SshClusterTest, RefusesHostsOfDifferentBuilds) {
    const auto other = [&](const std::string& version, int protocol = kHostProtocol) {
        const std::string hello = R"({"re":"hello","version":")" + version + R"(","protocol":)" +
                                  std::to_string(protocol) + R"(,"build":"00","address":"127.0.0.1","lacks":[]})";
        test::writeText(folder_ / "bin" / "dasgd", "#!/bin/sh\nhead -c 1 >/dev/null\n" +
                                                       test::hostSays(folder_ / "hello", hello) + "cat >/dev/null\n");
        std::filesystem::permissions(folder_ / "bin" / "dasgd", std::filesystem::perms::owner_all);
    };
    // `~/dasgd` is the other version on node2 alone.
    std::filesystem::create_symlink(test::kProgram, hosts_.home("node1") / "dasgd");
    std::filesystem::create_symlink(folder_ / "bin" / "dasgd", hosts_.home("node2") / "dasgd");
    profile_.dasgd = "~/dasgd";
    other(DASGD_VERSION);
    const Status build = SshCluster(profile_).connect(2);
    ASSERT_FALSE(build);
    EXPECT_EQ(build.error().message, "node2: has another build of dasgd than node1; copy one build to all hosts");
    other(DASGD_VERSION, kHostProtocol - 1);
    EXPECT_THAT(SshCluster(profile_).connect(2).error().message, StartsWith("node2: has another build of dasgd 0."));
    other("0.0.1");
    const Status version = SshCluster(profile_).connect(2);
    ASSERT_FALSE(version);
    EXPECT_THAT(version.error().message, StartsWith("node2: has dasgd 0.0.1, here is "));
}

}  // namespace
}  // namespace dasgd::experiments
