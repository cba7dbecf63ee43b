// The launcher's end of a host, over a stand-in for ssh that runs the real program.
#include "experiments/cluster/ssh/host_connection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/cluster/host/host_messages.h"
#include "tests/support/processes.h"
#include "tests/support/standin_ssh.h"

namespace dasgd::experiments {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HostConnectionTest : public ::testing::Test {
protected:
    HostConnectionTest() : hosts_(folder_.path(), {"node1"}) {
        ::setenv(SshCommand::kVariable, hosts_.program().c_str(), 1);
        ::signal(SIGPIPE, SIG_IGN);
        profile_.kind = ClusterProfile::kSsh;
        profile_.hosts = {"ada@node1", "node9"};
        profile_.dasgd = test::kProgram;
    }
    ~HostConnectionTest() override { ::unsetenv(SshCommand::kVariable); }
    std::string whyNot(std::size_t host) {
        auto connection = HostConnection::open(profile_, host);
        if (!connection) return connection.error().message;
        const auto answer = (*connection)->ask(kHello, {{"workspace", "w"}, {"interface", "lo"}}, seconds(30));
        return answer ? "" : answer.error().message;
    }
    test::TempDir folder_;
    test::StandInHosts hosts_;
    ClusterProfile profile_;
};

TEST_F(HostConnectionTest, AsksAndIsAnswered) {
    auto connection = HostConnection::open(profile_, 0);
    ASSERT_TRUE(connection) << connection.error().message;
    EXPECT_EQ((*connection)->name(), "ada@node1");
    const auto hello = (*connection)->ask(kHello, {{"workspace", "w"}, {"interface", "lo"}}, seconds(30));
    ASSERT_TRUE(hello) << hello.error().message;
    EXPECT_EQ(hello->value("version", ""), DASGD_VERSION);
    const auto wrong = (*connection)->ask("nonsense", nlohmann::json::object(), seconds(30));
    ASSERT_FALSE(wrong);
    EXPECT_THAT(wrong.error().message, StartsWith("ada@node1: there is no request"));
    EXPECT_TRUE((*connection)->isAlive());
}

TEST_F(HostConnectionTest, NamesTheHostThatCannotBeReachedAndWhy) {
    const std::string why = whyNot(1);
    EXPECT_THAT(why, StartsWith("node9: cannot be reached (ssh: Could not resolve hostname node9"));
    EXPECT_THAT(why, HasSubstr("without a password"));
}

TEST_F(HostConnectionTest, NamesTheHostWithoutTheProgram) {
    profile_.dasgd = "no-such-dasgd";
    EXPECT_THAT(whyNot(0), StartsWith("ada@node1: has no dasgd ("));
    profile_.dasgd = "false";
    EXPECT_THAT(whyNot(0), HasSubstr("put the same version there"));
}

TEST_F(HostConnectionTest, NoticesAtOnceWhenItIsCut) {
    auto connection = HostConnection::open(profile_, 0);
    ASSERT_TRUE(connection);
    ASSERT_TRUE((*connection)->ask(kTime, nlohmann::json::object(), seconds(30)));
    const auto children = test::childrenOf(::getpid());
    ASSERT_EQ(children.size(), 1u);
    ::kill(children.front(), SIGKILL);
    ASSERT_TRUE(test::eventually([&] {
        static_cast<void>((*connection)->event(std::chrono::milliseconds(10)));
        return !(*connection)->isAlive();
    }));
    EXPECT_THAT((*connection)->whyLost(), HasSubstr("ada@node1: the connection has ended, ssh by signal 9"));
}

TEST_F(HostConnectionTest, PassesOverWhatAShellPrints) {
    test::writeText(folder_ / "loud", "#!/bin/sh\necho Welcome to node1\nexec " + profile_.dasgd + " \"$@\"\n");
    std::filesystem::permissions(folder_ / "loud", std::filesystem::perms::owner_all);
    profile_.dasgd = (folder_ / "loud").string();
    EXPECT_EQ(whyNot(0), "");
}

// The late answer to a question that was given up is not that of the next question.
TEST_F(HostConnectionTest, PassesOverAnAnswerThatCameTooLate) {
    const std::size_t bytes = 2 * encodeFrame(FrameType::Document, R"({"do":"time"})").size();
    test::writeText(folder_ / "late", "#!/bin/sh\nhead -c " + std::to_string(bytes) + " >/dev/null\n" +
                                          test::hostSays(folder_ / "first", R"({"re":"time","now":1})") +
                                          test::hostSays(folder_ / "second", R"({"re":"port","port":2})") +
                                          "cat >/dev/null\n");
    std::filesystem::permissions(folder_ / "late", std::filesystem::perms::owner_all);
    profile_.dasgd = (folder_ / "late").string();
    auto connection = HostConnection::open(profile_, 0);
    ASSERT_TRUE(connection);
    const auto late = (*connection)->ask(kTime, nlohmann::json::object(), std::chrono::milliseconds(200));
    ASSERT_FALSE(late);
    EXPECT_THAT(late.error().message, HasSubstr("no answer within"));
    const auto next = (*connection)->ask(kPort, nlohmann::json::object(), seconds(30));
    ASSERT_TRUE(next) << next.error().message;
    EXPECT_EQ(next->value("port", 0), 2);
}

TEST_F(HostConnectionTest, SaysThatThereIsNoSsh) {
    ::setenv(SshCommand::kVariable, "no-such-ssh", 1);
    EXPECT_THAT(whyNot(0), HasSubstr("install OpenSSH's client"));
}

}  // namespace
}  // namespace dasgd::experiments
