// Ranks that are shell scripts: the end of a group, and its report.
#include "experiments/run/launch/rank_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "experiments/base/stop_signals.h"
#include "tests/support/dasgd_program.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using Clock = std::chrono::steady_clock;

class RankProcessesTest : public ::testing::Test {
protected:
    RankProcessesTest() : control_(std::move(*RunControl::create(folder_ / "control", 3))) {}

    // Runs one rank for each script.
    ProcessesOutcome run(const std::vector<std::string>& scripts, RankProcesses::Patience patience = {60'000'000'000}) {
        RankProcesses group(control_, patience);
        const auto begin = Clock::now();
        for (std::size_t rank = 0; rank < scripts.size(); ++rank) {
            const ChildProcess::Options options{"sh", {"-c", scripts[rank]}, folder_ / "log", true};
            EXPECT_TRUE(group.add({static_cast<int>(rank)}, options));
        }
        while (group.running()) group.wait(100'000'000, -1);
        seconds_ = std::chrono::duration<double>(Clock::now() - begin).count();
        return group.outcome();
    }

    static std::string says(int rank, RankState state, const std::string& error = "", Ns at = 1) {
        return "printf '%s' '" + toLine({rank, state, 7, error, at}) + "' >&3; ";
    }

    test::TempDir folder_;
    RunControl control_;
    double seconds_ = 0;
};

TEST_F(RankProcessesTest, FinishesWhenAllDo) {
    EXPECT_EQ(run({says(0, RankState::Finished), says(1, RankState::Finished)}).state, RankState::Finished);
}

TEST_F(RankProcessesTest, NamesARankThatWasKilledAndEndsTheOthers) {
    const ProcessesOutcome outcome = run({"sleep 100", "kill -9 $$", "trap '' TERM; sleep 100; sleep 100"});
    EXPECT_EQ(outcome.state, RankState::Failed);
    EXPECT_EQ(outcome.error, "rank 1 ended by signal 9 (Killed) after completing step 0");
    EXPECT_LT(seconds_, 6);
    EXPECT_TRUE(control_.stopRequested());
}

TEST_F(RankProcessesTest, BlamesTheKilledRankNotThoseThatMissedIt) {
    const auto missed = says(0, RankState::Failed, "lost a peer", 5) + "exit 1";
    EXPECT_THAT(run({missed, "sleep 0.3; kill -9 $$"}).error, StartsWith("rank 1 ended by signal 9"));
}

TEST_F(RankProcessesTest, BlamesTheFirstThatFailed) {
    const auto later = says(0, RankState::Failed, "lost a peer", 20) + "exit 1";
    const auto first = says(1, RankState::Failed, "loss is NaN at step 7", 10) + "exit 1";
    EXPECT_EQ(run({later, first}).error, "rank 1: loss is NaN at step 7");
}

// The deadline of the other ranks is over, and each reports the operation that it waited in.
TEST_F(RankProcessesTest, NamesTheRankThatHungBesideTheOneThatMissedIt) {
    control_.publish(Rank{1}, 380);
    const auto missed = says(0, RankState::Failed, "rank 0: all_reduce #197: Timed out", 5) + "exit 1";
    const auto hangs = "trap '' INT; sleep 100; sleep 100";
    const ProcessesOutcome outcome = run({missed, hangs, hangs});
    EXPECT_EQ(outcome.state, RankState::Failed);
    EXPECT_EQ(outcome.error,
              "rank 0: all_reduce #197: Timed out; rank 1 did not answer, last at step 380; rank 2 did not answer");
}

TEST_F(RankProcessesTest, TakesSilenceForFailure) {
    EXPECT_THAT(run({says(0, RankState::Finished), "exit 0"}).error, HasSubstr("rank 1 ended by exit status 0"));
}

TEST_F(RankProcessesTest, IsStoppedWhereRanksSaySo) {
    EXPECT_EQ(run({says(0, RankState::Stopped), says(1, RankState::Stopped)}).state, RankState::Stopped);
}

TEST_F(RankProcessesTest, EndsRanksThatDoNotStopInTime) {
    control_.requestStop();
    EXPECT_EQ(run({"sleep 100", says(1, RankState::Stopped)}, {300'000'000}).state, RankState::Stopped);
    EXPECT_LT(seconds_, 5);
}

TEST_F(RankProcessesTest, RanksThatStillComeNearerToTheStepToStopAtAreWaitedFor) {
    control_.requestStop();
    std::jthread steps([this](const std::stop_token& over) {
        for (std::int64_t step = 1; !over.stop_requested(); ++step) {
            control_.publish(Rank{0}, step);
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
    });
    const std::string saved = (folder_ / "saved").string();
    const ProcessesOutcome outcome =
        run({"trap '' INT; sleep 3; touch " + saved + "; " + says(0, RankState::Stopped)}, {1'000'000'000, true});
    EXPECT_EQ(outcome.state, RankState::Stopped);
    EXPECT_TRUE(std::filesystem::exists(saved)) << "it took longer than the patience";
}

// With many ranks the first may take a while to start, and Ctrl-C does not wait for them.
TEST_F(RankProcessesTest, ThatEndsBeforeARankBeganIsStopped) {
    RankProcesses group(control_, {1'000'000'000});
    group.kill();
    EXPECT_FALSE(group.running());
    EXPECT_EQ(group.outcome().state, RankState::Stopped);
}

TEST(RankReport, SurvivesHostileText) {
    const std::string error = "line\nbreak \xff \"quoted\"" + std::string(10'000, 'x');
    const std::string line = toLine({3, RankState::Failed, 12, error, 99});
    EXPECT_LT(line.size(), 4096u);  // written in one piece
    const auto reports = reportsFrom(line + "no json\n[1]\n{\"state\":\"odd\"}\n" + line + "cut off");
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_EQ(reports[1].rank, 3);
    EXPECT_EQ(reports[1].step, 12);
    EXPECT_EQ(reports[1].at, 99);
    EXPECT_THAT(reports[1].error, StartsWith("line\nbreak "));
}

}  // namespace
}  // namespace dasgd::experiments
