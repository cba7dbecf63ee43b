// Command lines for other hosts: nothing in a name or a word is taken for anything else there.
#include "experiments/base/ssh_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "experiments/base/process.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;

TEST(SshCommand, ReadsHosts) {
    const auto plain = parseSshHost("node1");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->name, "node1");
    EXPECT_EQ(plain->port, 0);
    const auto whole = parseSshHost("ada@node1:2222");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->name, "ada@node1");
    EXPECT_EQ(whole->address(), "node1");
    EXPECT_EQ(whole->port, 2222);
    for (const char* const wrong : {"", "ada@", "-oProxyCommand=x", "a b", "node1:", "node1:x", "node1:70000", ":22"}) {
        const auto host = parseSshHost(wrong);
        ASSERT_FALSE(host) << wrong;
        EXPECT_THAT(host.error().message, HasSubstr("is no host"));
    }
}

TEST(SshCommand, QuotesForTheOtherShell) {
    for (const char* const word : {"plain", "", "two words", "it's", "$HOME;`id`", "a\nb", "*", "ü"}) {
        const std::string line = "printf %s " + shellWord(word);
        const auto said = outputOf("sh", {"-c", line}, 1000, 10'000'000'000);
        ASSERT_TRUE(said.has_value()) << word;
        EXPECT_EQ(*said, word);
    }
    EXPECT_EQ(shellWord("~/bin dir/dasgd"), "~/'bin dir/dasgd'") << "of the other host's home";
}

TEST(SshCommand, PutsTheUsersOptionsFirstAndTheHostBehindTheLastOption) {
    ::unsetenv(SshCommand::kVariable);
    const SshCommand ssh = sshCommand({"ada@node1", 2222}, {"-J", "gate"}, {"~/bin/dasgd", "host-ranks", "a b"});
    EXPECT_EQ(ssh.program, "ssh");
    const std::vector<std::string> expected{"-J",
                                            "gate",
                                            "-T",
                                            "-o",
                                            "BatchMode=yes",
                                            "-o",
                                            "ConnectTimeout=10",
                                            "-o",
                                            "ServerAliveInterval=10",
                                            "-p",
                                            "2222",
                                            "--",
                                            "ada@node1",
                                            "~/bin/dasgd host-ranks 'a b'"};
    EXPECT_EQ(ssh.arguments, expected);
    ::setenv(SshCommand::kVariable, "other-ssh", 1);
    EXPECT_EQ(sshCommand({"node1"}, {}, {"true"}).program, "other-ssh");
    ::unsetenv(SshCommand::kVariable);
}

}  // namespace
}  // namespace dasgd::experiments
