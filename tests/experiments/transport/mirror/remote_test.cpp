#include "experiments/transport/mirror/remote.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RemoteTest, BothFormsNameTheSame) {
    const struct {
        const char* text;
        const char* target;
        int port;
        const char* path;
        const char* url;
    } cases[] = {
        {"ssh://login/lab", "login", 0, "/lab", "ssh://login/lab"},
        {"ssh://ada@login:2222/data/lab", "ada@login", 2222, "/data/lab", "ssh://ada@login:2222/data/lab"},
        {"ssh://login/~/lab", "login", 0, "lab", "ssh://login/~/lab"},
        {"ada@login:lab/deep", "ada@login", 0, "lab/deep", "ssh://ada@login/~/lab/deep"},
        {"login:/data/my lab", "login", 0, "/data/my lab", "ssh://login/data/my lab"},
        {"login:~/lab", "login", 0, "lab", "ssh://login/~/lab"},
        {"ssh://ada@[::1]:22/lab", "ada@::1", 22, "/lab", "ssh://ada@[::1]:22/lab"},
        {"login:-w", "login", 0, "./-w", "ssh://login/~/./-w"},
    };
    for (const auto& each : cases) {
        const auto remote = Remote::of(each.text);
        ASSERT_TRUE(remote) << each.text << ": " << remote.error().message;
        EXPECT_EQ(remote->target, each.target);
        EXPECT_EQ(remote->port, each.port);
        EXPECT_EQ(remote->path, each.path);
        EXPECT_EQ(remote->url(), each.url);
        const auto again = Remote::of(remote->url());
        ASSERT_TRUE(again);
        EXPECT_EQ(again->path, each.path);
        EXPECT_EQ(again->target, each.target);
    }
}

TEST(RemoteTest, WhatSshWouldTakeForSomethingElseIsRefused) {
    for (const char* text : {"ssh://-oProxyCommand=touch x/lab", "-oProxyCommand=x:lab", "ssh://a@-b/lab", "ssh:///lab",
                             "ssh://login", "ssh://login/", "lab", "/data/lab", "ssh://login:0/lab",
                             "ssh://login:70000/lab", "ssh://login:x/lab", "ssh://lo gin/lab", "login:"}) {
        EXPECT_FALSE(Remote::of(text)) << text;
    }
    EXPECT_TRUE(isRemoteName("login:lab"));
    EXPECT_FALSE(isRemoteName("/data/a:b"));
    EXPECT_FALSE(isRemoteName("lab"));
}

// The shell there splits the command into words.
TEST(RemoteTest, WordsArriveAsTheyAre) {
    Remote remote{.target = "login", .path = "/lab", .program = "printf"};
    const std::vector<std::string> words{"%s|", "two words", "it's", "$HOME `id` ; & \\ \"", "*", ""};
    const auto out = outputOf("sh", {"-c", remote.command(words)}, 10'000, 10'000'000'000);
    ASSERT_TRUE(out);
    EXPECT_EQ(*out, "two words|it's|$HOME `id` ; & \\ \"|*||");
    remote.program = "~/bin/dasgd";
    EXPECT_EQ(remote.command({"stop"}), "~/'bin/dasgd' 'stop'");
}

TEST(RemoteTest, OptionsEndBeforeTheHost) {
    const Remote remote{.target = "login", .port = 22, .path = "/lab"};
    const auto words = remote.sshArguments({"serve"});
    ASSERT_GE(words.size(), 3U);
    EXPECT_THAT(std::vector<std::string>(words.end() - 5, words.end()),
                ElementsAre("-p", "22", "--", "login", "'dasgd' 'serve'"));
}

class SshScript : public ::testing::Test {
protected:
    explicit SshScript(const std::string& text = "while [ \"$1\" != -- ]; do shift; done\nexec sh -c \"$3\"\n") {
        test::writeText(folder_ / "ssh", "#!/bin/sh\n" + text);
        std::filesystem::permissions(folder_ / "ssh", std::filesystem::perms::owner_all);
        ::setenv(kSshVariable, (folder_ / "ssh").c_str(), 1);
    }
    ~SshScript() override { ::unsetenv(kSshVariable); }
    test::TempDir folder_;
};

TEST_F(SshScript, AProgramThereHasItsThreeStreamsHere) {
    Remote remote{.target = "login", .path = "/lab", .program = "sh"};
    auto program = startRemote(remote, {"-c", "read word; echo got $word; echo said >&2"});
    ASSERT_TRUE(program);
    ASSERT_EQ(::write(program->in.get(), "hello\n", 6), 6);
    EXPECT_TRUE(program->process.awaitEnd(10'000'000'000));
    EXPECT_EQ(program->process.report(), "got hello\n");
    char text[16] = {};
    EXPECT_EQ(::read(program->errors.get(), text, sizeof text), 5);
}

TEST_F(SshScript, ACommandIsRunWhereItsRunIs) {
    test::writeText(folder_ / "dasgd", "#!/bin/sh\necho \"$@\" >" + (folder_ / "told").string() + "\nexit 3\n");
    std::filesystem::permissions(folder_ / "dasgd", std::filesystem::perms::owner_all);
    const auto exit = runAtOrigin("ssh://login/data/lab", (folder_ / "dasgd").string(), {"stop", "run-a"});
    ASSERT_TRUE(exit);
    EXPECT_EQ(*exit, 3);
    EXPECT_EQ(test::contentOf(folder_ / "told"), "stop run-a -w /data/lab\n");
    EXPECT_THAT(runAtOrigin("/media/copy", "", {"stop", "run-a"}).error().message, HasSubstr("imported from"));
}

TEST_F(SshScript, AFailureOfSshIsNotTakenForAnAnswer) {
    test::writeText(folder_ / "ssh", "#!/bin/sh\nexit 255\n");
    const auto exit = runAtOrigin("ssh://login/lab", "dasgd", {"stop", "run-a"});
    ASSERT_FALSE(exit);
    EXPECT_THAT(exit.error().message, HasSubstr("not known"));
    ::setenv(kSshVariable, (folder_ / "none").c_str(), 1);
    EXPECT_FALSE(runAtOrigin("ssh://login/lab", "dasgd", {"stop", "run-a"}));
}

}  // namespace
}  // namespace dasgd::experiments
