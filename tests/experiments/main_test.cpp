// Errors common to every command: an output, a file or a workspace that the program cannot use.
#include <gmock/gmock.h>

#include <unistd.h>

#include <csignal>

#include "storage/base/workspace.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// `command` for a shell, with $D for the program.
test::Ended shell(const test::DasgdFolder& folder, const std::string& command) {
    return test::StartedProgram(folder.path(), {"-c", command}, {{"D", test::kProgram}}, "/bin/sh").wait();
}

TEST(Program, OutputThatDoesNotArriveIsNoSuccess) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    for (const char* command : {"describe", "describe --json", "--version", "run e.toml -w w --json", "list -w w"}) {
        const test::Ended ended = shell(folder, "\"$D\" " + std::string(command) + " > /dev/full");
        EXPECT_EQ(ended.exit, 1) << command;
        EXPECT_THAT(ended.err, HasSubstr("what was to be printed could not be written")) << command;
    }
    EXPECT_EQ(shell(folder, "\"$D\" list -w w").exit, 0);
}

TEST(Program, AnEmptyWorkspaceNameIsRefused) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"run", "e.toml", "-w", ""}, {"list", "-w", ""}, {"recover", "-w", ""}}) {
        const test::Ended ended = folder.run(words);
        EXPECT_EQ(ended.exit, 2);
        EXPECT_THAT(ended.err, AllOf(HasSubstr("--workspace"), HasSubstr("has to be named")));
    }
}

TEST(Program, APipeInTheDatabasesPlaceIsNotWaitedFor) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended = shell(folder,
                                    "mkdir w && mkfifo w/lab.db && for c in 'run e.toml' list 'show 1' doctor; do "
                                    "timeout 20 \"$D\" $c -w w; echo $?; done");
    EXPECT_EQ(ended.out.find("124"), std::string::npos) << "nothing ran into the time limit";
    EXPECT_THAT(ended.err, HasSubstr("lab.db is no file but a named pipe"));
    EXPECT_EQ(ended.out.substr(0, 6), "2\n2\n2\n");
}

// Without the handling the program would end by a signal and say nothing.
TEST(Program, ALimitOfFileSizesIsAnErrorInWords) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended = shell(folder, "ulimit -f 8; \"$D\" run e.toml -w w -q");
    EXPECT_GT(ended.exit, 0) << "not a signal";
    EXPECT_LT(ended.exit, 100) << "not a signal of the program that the shell passes on";
    EXPECT_THAT(ended.err, HasSubstr("dasgd: "));
}

TEST(Program, ARunWhoseRecordIsTakenAwayIsNoSuccess) {
    for (const bool database : {true, false}) {
        const test::DasgdFolder folder;
        folder.write("e.toml", test::quickExperiment("threads", 20'000));
        test::StartedProgram program = folder.start({"run", "e.toml", "-w", "w", "--json"});
        ASSERT_TRUE(test::newestRunTrains(folder.workspace()));
        const auto taken =
            folder.workspace() / (database ? "lab.db" : "runs/" + folder.firstRun() + "/journal/rank-0000");
        ASSERT_TRUE(std::filesystem::exists(taken)) << taken;
        test::removeWhatIsInUse(taken);
        const test::Ended ended = program.wait();
        EXPECT_EQ(ended.exit, 1) << taken;
        EXPECT_THAT(ended.out + ended.err, HasSubstr("was removed")) << taken;
    }
}

// Another program has the lock, and keeps it.
TEST(Program, AWaitForTheDatabaseSaysWhoHoldsItAndEndsOnCtrlC) {
    const test::DasgdFolder folder;
    folder.write("e.toml", test::quickExperiment("threads"));
    ASSERT_EQ(folder.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto lock = storage::FileLock::tryNow(folder.workspace() / "lab.db.lock", storage::FileLock::Kind::Exclusive);
    ASSERT_TRUE(lock && *lock);
    test::StartedProgram waits = folder.start({"run", "e.toml", "-w", "w", "-q"});
    ASSERT_TRUE(test::eventually([&] { return waits.errors().find("waiting for ") != std::string::npos; }));
    waits.signal(SIGINT);
    const test::Ended ended = waits.wait();
    EXPECT_GT(ended.exit, 0) << "not a signal";
    const std::string holder = "held by process " + std::to_string(::getpid());
    EXPECT_THAT(ended.err,
                AllOf(HasSubstr("waiting for "), HasSubstr("stopped while waiting for "), HasSubstr(holder)));
}

TEST(Program, NamesThatAreNotWhatTheyLookLikeAreRefused) {
    const test::DasgdFolder folder;
    std::string text = test::quickExperiment("threads");
    text.replace(text.find("quick"), 5,
                 "a\xe2\x80\xae"
                 "b");
    folder.write("e.toml", text);
    const test::Ended ended = folder.run({"run", "e.toml", "-w", "w", "--dry-run"});
    EXPECT_EQ(ended.exit, 2);
    EXPECT_THAT(ended.err, AllOf(HasSubstr("e.toml:1:"), HasSubstr("direction of text")));
}

}  // namespace
}  // namespace dasgd::experiments
