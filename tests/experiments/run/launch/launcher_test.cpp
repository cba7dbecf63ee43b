// Runs with real processes, some of which die.
#include "experiments/run/launch/launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "core/base/control.h"
#include "experiments/base/sockets.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using std::chrono::milliseconds;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using SteadyClock = std::chrono::steady_clock;
using test::StartedProgram;

double secondsSince(SteadyClock::time_point begin) {
    return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// An endless run of three ranks; nearly all its time is spent in collectives where the link is slow.
std::string endless(const std::string& link, const std::string& algorithm = "sync_sgd") {
    return "name = \"endless\"\n[algorithm]\nname = \"" + algorithm +
           "\"\n[model]\nname = \"quadratic\"\n"
           "matrix = [[2.0, 0.5], [0.5, 1.0]]\ntargets = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]\n"
           "[train]\nsteps = 100000000\neval_every = 100000000\n[optimizer]\nlearning_rate = 0.001\n"
           "[cluster]\nworkers = 3\ntimeout_s = 20.0\n" +
           link;
}
const std::string kSlowLink = "link = { bandwidth = \"1Gbps\", latency = \"3ms\" }\n";

class LauncherTest : public ::testing::Test {
protected:
    StartedProgram begin(const std::vector<std::string>& more = {}, const std::string& algorithm = "sync_sgd") {
        folder_.write("e.toml", endless(kSlowLink, algorithm));
        std::vector<std::string> arguments{"run", "e.toml", "-w", "w", "--json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        StartedProgram program = folder_.start(arguments);
        EXPECT_TRUE(test::eventually([&] { return least() >= 10; }, std::chrono::seconds(40)));
        return program;
    }
    // Steps that every rank has completed, of the run that is furthest; −1 before one starts. Runs of a sweep that wait
    // have folders too.
    std::int64_t least() {
        std::int64_t most = -1;
        std::error_code code;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.workspace() / "runs", code)) {
            const auto control = RunControl::open(entry.path() / "control");
            if (!control) continue;
            std::int64_t steps = INT64_MAX;
            for (int rank = 0; rank < control->ranks(); ++rank) {
                steps = std::min(steps, control->completed(Rank(rank)));
            }
            most = std::max(most, steps);
        }
        return most;
    }
    // The database has every step that a rank had completed when it last reported.
    void expectNothingLost(const std::string& runId) {
        const auto control = RunControl::open(folder_.workspace() / "runs" / runId / "control");
        auto reader = storage::WorkspaceReader::open(folder_.workspace());
        ASSERT_TRUE(control && reader);
        for (int rank = 0; rank < control->ranks(); ++rank) {
            const auto losses = reader->metrics().samples({.runId = runId, .name = "train/loss", .rank = rank});
            ASSERT_TRUE(losses && !losses->samples.empty());
            EXPECT_GE(losses->samples.back().step, control->completed(Rank(rank)));
            EXPECT_EQ(losses->samples.size(), static_cast<std::size_t>(losses->samples.back().step));
        }
        EXPECT_TRUE(reader->checkIntegrity());
    }
    storage::RunRow rowOf(const std::string& runId) {
        auto reader = storage::RunReader::open(folder_.workspace());
        return reader->detail(runId)->row;
    }

    test::DasgdFolder folder_;
};

class KilledRank : public LauncherTest, public ::testing::WithParamInterface<int> {};

TEST_P(KilledRank, EndsTheRunAndLosesNothing) {
    StartedProgram program = begin();
    std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 3u);
    std::mt19937 random(static_cast<unsigned>(GetParam()));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 50'000));
    ::kill(ranks[static_cast<std::size_t>(GetParam() % 3)], SIGKILL);
    const auto killedAt = SteadyClock::now();
    const test::Ended ended = program.wait();
    EXPECT_LT(secondsSince(killedAt), 10);  // deadline 20 s: nobody waits for it
    EXPECT_EQ(ended.exit, 1) << ended.err;
    for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "an orphan";
    const std::string run = folder_.firstRun();
    EXPECT_EQ(rowOf(run).status, "failed");
    EXPECT_THAT(rowOf(run).error, HasSubstr("ended by signal 9 (Killed) after completing step "));
    EXPECT_THAT(rowOf(run).error, StartsWith("rank "));
    EXPECT_THAT(ended.out, HasSubstr("\"status\":\"failed\""));
    expectNothingLost(run);
}
INSTANTIATE_TEST_SUITE_P(AtRandomMoments, KilledRank, ::testing::Range(0, 6));

// The server waits for any worker, so that no connection tells it who is gone.
class KilledRankOfAParameterServer : public LauncherTest, public ::testing::WithParamInterface<int> {};

TEST_P(KilledRankOfAParameterServer, EndsTheRunAndIsNamed) {
    StartedProgram program = begin({}, "ssp");
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 3u);
    ::kill(ranks[static_cast<std::size_t>(GetParam())], SIGKILL);
    const auto killedAt = SteadyClock::now();
    EXPECT_EQ(program.wait().exit, 1);
    EXPECT_LT(secondsSince(killedAt), 10);  // deadline 20 s: nobody waits for it
    const storage::RunRow row = rowOf(folder_.firstRun());
    EXPECT_EQ(row.status, "failed");
    EXPECT_THAT(row.error, StartsWith("rank "));
    EXPECT_THAT(row.error, HasSubstr("ended by signal 9 (Killed) after completing step "));
}
INSTANTIATE_TEST_SUITE_P(WorkerOrServer, KilledRankOfAParameterServer, ::testing::Values(0, 2));

TEST_F(LauncherTest, TakesItsRanksAlongWhenKilled) {
    StartedProgram program = begin();
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 3u);
    program.signal(SIGKILL);
    const auto killedAt = SteadyClock::now();
    EXPECT_TRUE(test::eventually(
        [&] { return std::all_of(ranks.begin(), ranks.end(), [](pid_t rank) { return ::kill(rank, 0) != 0; }); }));
    EXPECT_LT(secondsSince(killedAt), 2);
    EXPECT_EQ(program.wait().exit, -SIGKILL);
    const auto store = storage::Store::open(folder_.workspace());
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(store->recovered(), 1);
    EXPECT_EQ(rowOf(folder_.firstRun()).status, "interrupted");
    expectNothingLost(folder_.firstRun());
}

TEST_F(LauncherTest, StopsAllRanksAtOneStepOnCtrlC) {
    StartedProgram program = begin();
    program.signal(SIGINT);
    const test::Ended ended = program.wait();
    EXPECT_EQ(ended.exit, 130) << ended.err;
    auto reader = storage::MetricReader::open(folder_.workspace());
    const std::string run = folder_.firstRun();
    EXPECT_EQ(rowOf(run).status, "stopped");
    std::vector<std::int64_t> last;
    for (int rank = 0; rank < 3; ++rank) {
        last.push_back(reader->samples({.runId = run, .name = "train/loss", .rank = rank})->samples.back().step);
    }
    EXPECT_EQ(last[0], last[1]);
    EXPECT_EQ(last[0], last[2]);
    expectNothingLost(run);
}

TEST_F(LauncherTest, EndsHungRanksOnTheSecondCtrlC) {
    StartedProgram program = begin();
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_FALSE(ranks.empty());
    ::kill(ranks.front(), SIGSTOP);
    program.signal(SIGINT);
    std::this_thread::sleep_for(milliseconds(500));
    EXPECT_EQ(::kill(program.id(), 0), 0);
    program.signal(SIGINT);
    const auto begin = SteadyClock::now();
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_LT(secondsSince(begin), 5);
    for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "an orphan";
}

// Batch systems send SIGUSR1 some time before SIGTERM. A rank that does not move yet stands for one that is saving.
TEST_F(LauncherTest, SignalsOfABatchSystemAreOneStop) {
    StartedProgram program = begin();
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 3u);
    ::kill(ranks.front(), SIGSTOP);
    for (const int number : {SIGUSR1, SIGTERM, SIGTERM}) {
        program.signal(number);
        std::this_thread::sleep_for(milliseconds(300));
    }
    ::kill(ranks.front(), SIGCONT);
    EXPECT_EQ(program.wait().exit, 130);
    const std::string run = folder_.firstRun();
    EXPECT_EQ(rowOf(run).status, "stopped");
    EXPECT_THAT(rowOf(run).error, StartsWith("ended by SIGTERM, as what is preempted"));
    EXPECT_TRUE(std::filesystem::exists(folder_.workspace() / "runs" / run / "checkpoints/latest/state.json"));
    expectNothingLost(run);
}

// From the first instruction of a rank on, which takes a while to load its libraries.
TEST_F(LauncherTest, RanksOutliveSignalsThatComeAsTheyStart) {
    folder_.write("e.toml", endless(kSlowLink));
    StartedProgram program = folder_.start({"run", "e.toml", "-w", "w", "--json"});
    std::size_t seen = 0;
    EXPECT_TRUE(test::eventually(
        [&] {
            std::vector<pid_t> ranks = test::childrenOf(program.id());
            // The launcher asks other programs, too, before it starts ranks.
            std::erase_if(ranks, [](pid_t child) {
                const std::string line = test::contentOf("/proc/" + std::to_string(child) + "/cmdline");
                return line.find("--rank") == std::string::npos;
            });
            seen = std::max(seen, ranks.size());
            for (const pid_t rank : ranks) {
                for (const int number : {SIGTERM, SIGUSR1, SIGUSR2}) ::kill(rank, number);
            }
            return least() >= 10;
        },
        std::chrono::seconds(40)));
    EXPECT_EQ(seen, 3u);
    program.signal(SIGINT);
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_EQ(rowOf(folder_.firstRun()).status, "stopped");
}

TEST_F(LauncherTest, EndsARunWhoseRankHangs) {
    StartedProgram program = begin({"--set", "cluster.timeout_s=2.0"});
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_EQ(ranks.size(), 3u);
    ::kill(ranks.back(), SIGSTOP);
    const auto hungAt = SteadyClock::now();
    EXPECT_EQ(program.wait().exit, 1);
    EXPECT_LT(secondsSince(hungAt), 2 + 5);
    for (const pid_t rank : ranks) EXPECT_NE(::kill(rank, 0), 0) << "an orphan";
    EXPECT_EQ(rowOf(folder_.firstRun()).status, "failed");
    EXPECT_THAT(rowOf(folder_.firstRun()).error, HasSubstr("all_reduce"));
    EXPECT_THAT(rowOf(folder_.firstRun()).error, ContainsRegex("rank 2 did not answer, last at step [0-9]+$"));
    expectNothingLost(folder_.firstRun());
}

TEST_F(LauncherTest, SurvivesTheEndOfItsTerminal) {
    StartedProgram program = begin();
    program.signal(SIGHUP);
    const std::int64_t before = least();
    EXPECT_TRUE(test::eventually([&] { return least() > before + 20; }));
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().exit, 130);
}

// The removed workspace is not made anew, neither by the end of the first run nor by the second run.
TEST_F(LauncherTest, LeavesNothingWhereItsWorkspaceWasRemoved) {
    StartedProgram program = begin({"--sweep", "train.seed=1..2"});
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_FALSE(ranks.empty());
    test::removeWhatIsInUse(folder_.workspace());
    ::kill(ranks.front(), SIGKILL);
    const test::Ended ended = program.wait();
    EXPECT_NE(ended.exit, 0);
    EXPECT_THAT(ended.err, HasSubstr("was removed or replaced while it was in use"));
    EXPECT_FALSE(std::filesystem::exists(folder_.workspace()));
}

TEST_F(LauncherTest, ListensOnLoopbackAlone) {
    StartedProgram program = begin();
    std::vector<pid_t> processes = test::childrenOf(program.id());
    processes.push_back(program.id());
    std::size_t ours = 0;
    for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
        for (const ListenLine& line : parseListening(test::contentOf(table))) {
            for (const pid_t process : processes) {
                const auto files = std::filesystem::path("/proc") / std::to_string(process) / "fd";
                for (const auto& entry : std::filesystem::directory_iterator(files)) {
                    std::error_code code;
                    if (std::filesystem::read_symlink(entry.path(), code) != "socket:[" + line.inode + "]") continue;
                    ++ours;
                    EXPECT_TRUE(line.socket.loopback) << line.socket.address;
                }
            }
        }
    }
    EXPECT_GT(ours, 0u);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().exit, 130);
}

TEST_F(LauncherTest, RecordsDivergenceAndGoesOnWithTheSweep) {
    folder_.write("e.toml",
                  test::quickExperiment("gloo", 400) + "[sweep]\n\"optimizer.learning_rate\" = [50.0, 0.1]\n");
    const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w"});
    EXPECT_EQ(ended.exit, 1) << ended.err;
    auto reader = storage::RunReader::open(folder_.workspace());
    const auto rows = reader->list();
    ASSERT_EQ(rows->size(), 2u);
    EXPECT_EQ(rows->at(0).status, "finished");
    EXPECT_EQ(rows->at(1).status, "failed");
    EXPECT_THAT(rows->at(1).error, HasSubstr("at step "));
}

TEST_F(LauncherTest, RunsThreadsInOneProcess) {
    folder_.write("e.toml", test::quickExperiment("threads"));
    const test::Ended ended = folder_.run({"run", "e.toml", "-w", "w", "--json"});
    EXPECT_EQ(ended.exit, 0) << ended.err;
    auto reader = storage::MetricReader::open(folder_.workspace());
    for (int rank = 0; rank < 2; ++rank) {
        const auto losses = reader->samples({.runId = folder_.firstRun(), .name = "train/loss", .rank = rank});
        EXPECT_EQ(losses->samples.size(), 30u);
    }
}

}  // namespace
}  // namespace dasgd::experiments
