// Processes that we start.
#include "experiments/base/process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ProcessExit endOf(ChildProcess& child) {
    pollfd wait{child.pidFd(), POLLIN, 0};
    ::poll(&wait, 1, 20'000);
    return child.poll().value_or(ProcessExit{-1, -1});
}

ChildProcess shell(const std::string& script, const std::filesystem::path& log) {
    return std::move(*ChildProcess::start({"sh", {"-c", script}, log, true}));
}

TEST(Process, TellsHowAChildEnded) {
    const test::TempDir folder;
    ChildProcess code = shell("exit 3", folder / "a");
    ChildProcess killed = shell("kill -9 $$", folder / "b");
    EXPECT_EQ(endOf(code).code, 3);
    EXPECT_EQ(endOf(killed).signal, 9);
    EXPECT_EQ(describeExit(endOf(killed)), "signal 9 (Killed)");
    EXPECT_EQ(describeExit(endOf(code)), "exit status 3");
}

TEST(Process, LogsOutputAndTakesReports) {
    const test::TempDir folder;
    ChildProcess child = shell("echo out; echo err >&2; echo told >&3; ls /proc/$$/fd", folder / "log");
    EXPECT_EQ(endOf(child).code, 0);
    EXPECT_EQ(child.report(), "told\n");
    EXPECT_THAT(test::contentOf(folder / "log"), HasSubstr("out\nerr\n"));
}

TEST(Process, CanBeGivenInputAndItsErrorsTaken) {
    int input[2], errors[2];
    ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(errors, O_CLOEXEC), 0);
    auto child = ChildProcess::start({.program = "sh",
                                      .arguments = {"-c", "read word; echo got $word; echo said >&2"},
                                      .log = {},
                                      .input = input[0],
                                      .errors = errors[1]});
    ASSERT_TRUE(child);
    for (const int file : {input[0], errors[1]}) ::close(file);
    EXPECT_EQ(::write(input[1], "hello\n", 6), 6);
    EXPECT_EQ(endOf(*child).code, 0);
    EXPECT_EQ(child->report(), "got hello\n");
    char text[16] = {};
    EXPECT_EQ(::read(errors[0], text, sizeof text), 5);
    for (const int file : {input[1], errors[0]}) ::close(file);
}

TEST(Process, HandsNothingElseDown) {
    const test::TempDir folder;
    const int leaky = ::dup2(STDERR_FILENO, 57);  // not close-on-exec
    ChildProcess child = shell("ls /proc/$$/fd", folder / "log");
    EXPECT_EQ(endOf(child).code, 0);
    EXPECT_THAT(test::contentOf(folder / "log"), Not(HasSubstr("57")));
    ::close(leaky);
}

TEST(Process, IsInAGroupOfItsOwnAndDiesWithItsObject) {
    const test::TempDir folder;
    pid_t id = 0;
    {
        ChildProcess child = shell("sleep 100", folder / "log");
        id = child.id();
        EXPECT_EQ(::getpgid(id), id);
        EXPECT_FALSE(child.poll());
    }
    EXPECT_NE(::kill(id, 0), 0);
}

TEST(Process, TakesDescriptorsAndVariables) {
    int input[2], errors[2];
    ASSERT_EQ(::pipe2(input, O_CLOEXEC), 0);
    ASSERT_EQ(::pipe2(errors, O_CLOEXEC), 0);
    const Descriptor inputEnd(input[0]), errorEnd(errors[1]);
    ::setenv("DASGD_TEST_WORD", "ours", 1);
    auto child = ChildProcess::start({.program = "sh",
                                      .arguments = {"-c", "read a; echo $a $DASGD_TEST_WORD $OTHER; echo wrong >&2"},
                                      .input = inputEnd.get(),
                                      .errors = errorEnd.get(),
                                      .environment = {"DASGD_TEST_WORD=theirs", "OTHER=too"}});
    ::unsetenv("DASGD_TEST_WORD");
    ASSERT_TRUE(child);
    ASSERT_EQ(::write(input[1], "line\n", 5), 5);
    const Descriptor ours(input[1]), theirs(errors[0]);
    EXPECT_EQ(endOf(*child).code, 0);
    EXPECT_EQ(child->report(), "line theirs too\n");
    char said[16] = "";
    EXPECT_EQ(::read(errors[0], said, sizeof said), 6);
    EXPECT_STREQ(said, "wrong\n");
}

// The signal comes before the program could have said anything about it.
TEST(Process, BlockedSignalsWaitFromItsFirstInstructionOn) {
    const test::TempDir folder;
    for (const bool blocks : {true, false}) {
        ChildProcess::Options options{
            .program = "sh", .arguments = {"-c", "kill -TERM $$; echo alive"}, .log = folder / "log"};
        if (blocks) options.blocked = {SIGTERM, SIGUSR1};
        auto child = ChildProcess::start(options);
        ASSERT_TRUE(child);
        EXPECT_EQ(endOf(*child).signal, blocks ? 0 : SIGTERM);
    }
    EXPECT_EQ(test::contentOf(folder / "log"), "alive\n");
}

TEST(Process, SaysWhatDoesNotStart) {
    const auto child = ChildProcess::start({"no-such-program", {}, {}, true});
    ASSERT_FALSE(child);
    EXPECT_THAT(child.error().message, HasSubstr("no-such-program"));
}

TEST(Process, ReadsShortCommands) {
    constexpr Ns second = 1'000'000'000;
    EXPECT_EQ(outputOf("echo", {"hello"}, 100, 20 * second), "hello\n");
    EXPECT_EQ(outputOf("false", {}, 100, 20 * second), std::nullopt);
    EXPECT_EQ(outputOf("sleep", {"60"}, 100, second / 10), std::nullopt);
    EXPECT_EQ(outputOf("yes", {}, 5000, 20 * second)->size(), 5000u);
}

}  // namespace
}  // namespace dasgd::experiments
