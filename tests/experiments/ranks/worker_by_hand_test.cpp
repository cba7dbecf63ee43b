// Ranks started through the contract of torchrun, over loopback.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <chrono>
#include <cmath>
#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "core/base/check.h"
#include "core/base/metric_names.h"
#include "experiments/ranks/worker_process.h"
#include "storage/base/workspace.h"
#include "storage/read/workspace_reader.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/hand_ranks.h"
#include "tests/support/live_run.h"
#include "tests/support/processes.h"

namespace dasgd::experiments {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A rank as another host would start it: with a workspace of its own.
struct HandRank {
    std::vector<std::string> change;
    std::string file = "e.toml";
    int worldSize = 2;
    std::string program = test::kProgram;
};

// The same program with another build id, as a build on another host would have.
std::string otherBuild(const std::filesystem::path& folder) {
    std::string bytes = test::contentOf(test::kProgram);
    // Head of the ELF note: 4 bytes of name, 20 of description, type 3, "GNU".
    const std::string head{"\4\0\0\0\x14\0\0\0\3\0\0\0GNU\0", 16};
    const auto note = bytes.find(head);
    DASGD_CHECK(note != std::string::npos);
    bytes[note + head.size()] = static_cast<char>(~bytes[note + head.size()]);
    test::writeText(folder / "other" / "dasgd", bytes);
    std::filesystem::permissions(folder / "other" / "dasgd", std::filesystem::perms::owner_all);
    return folder / "other" / "dasgd";
}

class WorkerByHand : public ::testing::Test {
protected:
    std::vector<test::Ended> startApart(const std::vector<HandRank>& ranks) {
        const std::string port = std::to_string(test::freePort());
        std::vector<test::StartedProgram> workers;
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            std::vector<std::string> arguments{"worker", ranks[rank].file, "-w", "hand" + std::to_string(rank)};
            for (const std::string& change : ranks[rank].change) arguments.insert(arguments.end(), {"--set", change});
            const auto size = static_cast<std::size_t>(ranks[rank].worldSize);
            workers.emplace_back(folder_.path(), arguments, test::handEnvironment(rank, size, port),
                                 ranks[rank].program);
        }
        return test::waitForAll(std::move(workers));
    }

    // Expects that both ranks refuse, for the same reason, and that no run is recorded.
    void expectRefused(const std::vector<HandRank>& ranks, const std::string& why) {
        const auto ended = startApart(ranks);
        for (std::size_t rank = 0; rank < ended.size(); ++rank) {
            EXPECT_EQ(ended[rank].exit, 2) << "rank " << rank << ": " << ended[rank].err;
            EXPECT_THAT(ended[rank].err, HasSubstr(why)) << "rank " << rank;
            auto reader = storage::RunReader::open(folder_.path() / ("hand" + std::to_string(rank)));
            ASSERT_TRUE(reader);
            EXPECT_TRUE(reader->list()->empty()) << "rank " << rank;
        }
    }

    std::vector<test::StartedProgram> start(const std::vector<std::string>& workspaces,
                                            const std::vector<std::string>& more = {}) const {
        return test::startByHand(folder_, workspaces, more);
    }
    std::vector<test::Ended> startAll(std::size_t ranks, std::vector<std::string> more = {}) const {
        more.emplace_back("--json");
        return test::waitForAll(start(std::vector<std::string>(ranks, "hand"), more));
    }

    test::DasgdFolder folder_;
};

TEST_F(WorkerByHand, EndInTheSameWeightsAsRun) {
    folder_.write("e.toml", test::quickExperiment() + "[record]\nweights = true\n");
    const auto ended = startAll(2);
    for (const test::Ended& each : ended) ASSERT_EQ(each.exit, 0) << each.err;
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto told = nlohmann::json::parse(ended[0].out);
    EXPECT_EQ(told["status"], "finished");
    EXPECT_EQ(ended[1].out, "");

    auto hand = storage::WorkspaceReader::open(folder_.path() / "hand");
    auto run = storage::MetricReader::open(folder_.workspace());
    ASSERT_TRUE(hand && run);
    ASSERT_EQ(hand->runs().list()->size(), 1u);
    const storage::RunRow row = hand->runs().list()->front();
    EXPECT_EQ(row.status, "finished");
    EXPECT_EQ(row.workers, 2);
    for (int rank = 0; rank < 2; ++rank) {
        for (const char* name : {"weight/0", "weight/1", "train/loss"}) {
            const auto a = hand->metrics().samples({.runId = row.runId, .name = name, .rank = rank})->samples;
            const auto b = run->samples({.runId = folder_.firstRun(), .name = name, .rank = rank})->samples;
            ASSERT_GE(a.size(), 30u) << name;
            ASSERT_EQ(a.size(), b.size()) << name;
            for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].value, b[i].value) << name << " at " << i;
        }
    }
}

TEST_F(WorkerByHand, RefusesWhatDoesNotFit) {
    folder_.write("e.toml", test::quickExperiment());
    for (const test::Ended& each : startAll(3)) {
        EXPECT_EQ(each.exit, 2);
        EXPECT_THAT(each.err, HasSubstr("cluster.workers is 2, but 3 ranks were started"));
    }
    folder_.write("e.toml", test::quickExperiment() + "[sweep]\n\"train.seed\" = [1, 2]\n");
    EXPECT_THAT(startAll(1).front().err, HasSubstr("a worker trains one"));
    EXPECT_THAT(folder_.run({"worker", "e.toml"}).err, HasSubstr("does not know its rank"));
    EXPECT_FALSE(std::filesystem::exists(folder_.path() / "hand"));
}

// Sends the signal while the worker cannot have the lock of lab.db: stopped with it, the worker would keep its peers
// from writing why they failed.
void leaveWithoutTheLock(const test::StartedProgram& worker, int signal, const std::filesystem::path& workspace) {
    const auto lock =
        storage::FileLock::wait(storage::WorkspacePaths{workspace}.lock(), storage::FileLock::Kind::Exclusive);
    ASSERT_TRUE(lock) << lock.error().message;
    worker.signal(signal);
    siginfo_t left{};
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(worker.id()), &left, WEXITED | WSTOPPED | WNOWAIT), 0);
}

// A rank that is gone or hangs is named, within the deadline of a collective and 5 s.
TEST_F(WorkerByHand, NameAPeerThatDiesOrHangs) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000) + "timeout_s = 5.0\n");
    for (const int signal : {SIGKILL, SIGSTOP}) {
        const std::string lab = "lab" + std::to_string(signal);
        auto workers = start({lab, lab});
        ASSERT_TRUE(test::newestRunTrains(folder_.path() / lab));
        ASSERT_NO_FATAL_FAILURE(leaveWithoutTheLock(workers[1], signal, folder_.path() / lab));
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_TRUE(test::eventually([&] { return workers[0].errors().find("does not answer") != std::string::npos; }));
        EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
        const test::Ended ended = workers[0].wait();
        EXPECT_EQ(ended.exit, 1);
        EXPECT_THAT(ended.err, AllOf(HasSubstr("rank 1 on "), HasSubstr("does not answer"))) << "signal " << signal;
        auto reader = storage::RunReader::open(folder_.path() / lab);
        EXPECT_THAT(reader->list()->front().error, HasSubstr("rank 1 on ")) << "signal " << signal;
    }
}

TEST_F(WorkerByHand, StopTogetherWhenOneIsTerminated) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    auto workers = start({"hand", "hand"});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "hand"));
    // Resource use of processes and host is recorded here too, at the step that the ranks had got to.
    const auto used = [&](const char* name) {
        auto reader = storage::WorkspaceReader::open(folder_.path() / "hand");
        return reader->metrics().samples({.runId = reader->runs().list()->front().runId, .name = name})->samples;
    };
    ASSERT_TRUE(test::eventually([&] {
        std::set<int> ranks;
        for (const storage::MetricSample& sample : used(metrics::kProcessCpu)) {
            if (sample.step > 0) ranks.insert(sample.rank);
        }
        return ranks == std::set{0, 1} && !used(metrics::kHostCpu).empty();
    }));
    workers[1].signal(SIGTERM);
    for (test::StartedProgram& worker : workers) EXPECT_EQ(worker.wait().exit, 130);
    auto reader = storage::WorkspaceReader::open(folder_.path() / "hand");
    const storage::RunRow row = reader->runs().list()->front();
    EXPECT_EQ(row.status, "stopped");
    const auto lastStep = [&](int rank) {
        return reader->metrics().samples({.runId = row.runId, .name = "train/loss", .rank = rank})->samples.back().step;
    };
    EXPECT_EQ(lastStep(0), lastStep(1));
    for (const storage::MetricSample& sample : used(metrics::kProcessCpu)) {
        EXPECT_EQ(std::fmod(sample.wallS, 1), 0) << "the instants of all ranks are the same";
    }
    for (const storage::MetricSample& sample : used(metrics::kHostCpu)) EXPECT_EQ(sample.rank, 0);
}

TEST_F(WorkerByHand, RanksOfOtherSettingsRefuseBeforeTheyTrain) {
    folder_.write("e.toml", test::quickExperiment() + "timeout_s = 20.0\n");
    folder_.write("local.toml", "name = \"quick\"\n[algorithm]\nname = \"local_sgd\"\n" +
                                    test::quickExperiment().substr(test::quickExperiment().find("[model]")) +
                                    "timeout_s = 20.0\n");
    const HandRank same;
    expectRefused({same, {.change = {"optimizer.learning_rate=0.2"}}},
                  "optimizer.learning_rate is 0.1 on rank 0 and 0.2 on rank 1");
    expectRefused({same, {.change = {"train.seed=7"}}}, "train.seed is 1 on rank 0 and 7 on rank 1");
    expectRefused({same, {.file = "local.toml"}}, "algorithm.name is dasgd on rank 0 and local_sgd on rank 1");
}

// Ranks of unlike sizes would meet in Gloo with tensors and groups of different sizes, which ends a process.
TEST_F(WorkerByHand, RanksOfOtherSizesRefuseBeforeTheyTrain) {
    const auto problem = [](const std::string& matrix, const std::string& targets) {
        const std::string quick = test::quickExperiment();
        return quick.substr(0, quick.find("matrix")) + "matrix = " + matrix + "\ntargets = " + targets + "\n" +
               quick.substr(quick.find("[train]")) + "timeout_s = 20.0\n";
    };
    folder_.write("e.toml", problem("[[2.0]]", "[[1.0], [0.0], [2.0]]"));
    folder_.write("large.toml", problem("[[2.0, 0.0], [0.0, 1.0]]", "[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]"));
    const HandRank same;
    expectRefused({same, {.file = "large.toml"}}, "plan.parameters is 1 on rank 0 and 2 on rank 1");
    expectRefused({same, {.change = {"cluster.workers=3"}, .worldSize = 3}},
                  "cluster.workers is 2 on rank 0 and 3 on rank 1");
    expectRefused({{.change = {"cluster.workers=3"}, .worldSize = 3}, same},
                  "cluster.workers is 3 on rank 0 and 2 on rank 1");
}

TEST_F(WorkerByHand, RanksOfAnotherBuildRefuseBeforeTheyTrain) {
    folder_.write("e.toml", test::quickExperiment() + "timeout_s = 20.0\n");
    expectRefused({HandRank{}, {.program = otherBuild(folder_.path())}}, "program.build is ");
}

TEST_F(WorkerByHand, EqualRanksWithWorkspacesOfTheirOwnTrain) {
    folder_.write("e.toml", test::quickExperiment());
    for (const test::Ended& each : startApart({HandRank{}, HandRank{}})) EXPECT_EQ(each.exit, 0) << each.err;
    auto first = storage::RunReader::open(folder_.path() / "hand0");
    auto second = storage::RunReader::open(folder_.path() / "hand1");
    ASSERT_TRUE(first && second);
    ASSERT_EQ(first->list()->size(), 1u);
    ASSERT_EQ(second->list()->size(), 1u);
    EXPECT_EQ(first->list()->front().runId, second->list()->front().runId);
    EXPECT_EQ(first->list()->front().status, "finished") << "each is told how the other's rank ended";
    EXPECT_EQ(second->list()->front().status, "finished");
}

// A job that is preempted and queued again does the same: the ranks stop at one step, and those that are started then
// go on.
TEST_F(WorkerByHand, GoOnWhereTheyWereWhenTheyAreStartedAgain) {
    folder_.write("e.toml", test::quickExperiment("gloo", 6'000));
    auto workers = start({"hand", "hand"}, {"--resume"});
    ASSERT_TRUE(test::newestRunTrains(folder_.path() / "hand"));
    for (const int number : {SIGUSR1, SIGTERM}) workers[0].signal(number);
    for (std::size_t rank = 0; rank < workers.size(); ++rank) {
        const test::Ended ended = workers[rank].wait();
        EXPECT_EQ(ended.exit, 130);
        EXPECT_EQ(ended.err.find("the run starts from its beginning") != std::string::npos, rank == 0) << ended.err;
    }
    for (const test::Ended& ended : startAll(2, {"--resume"})) ASSERT_EQ(ended.exit, 0) << ended.err;
    auto reader = storage::RunReader::open(folder_.path() / "hand");
    const auto rows = reader->list().value();
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].status, "finished");
    EXPECT_EQ(rows[0].resumedFrom, rows[1].runId);
    EXPECT_EQ(rows[0].resumedStep, rows[1].steps);
    ASSERT_EQ(folder_.run({"run", "e.toml", "-w", "w", "-q"}).exit, 0);
    const auto modelIn = [&](const std::string& workspace, const std::string& run) {
        return test::contentOf(folder_.path() / workspace / "runs" / run / "model.safetensors");
    };
    EXPECT_EQ(modelIn("hand", rows[0].runId), modelIn("w", folder_.firstRun()));
    EXPECT_THAT(startAll(2, {"--resume"}).front().err, HasSubstr("has finished already"));
}

// Workspaces of different hosts share no page of memory: the request travels with the ranks, by a signal at either of
// them or by `dasgd stop` in either workspace.
TEST_F(WorkerByHand, AStopReachesRanksWithWorkspacesOfTheirOwn) {
    folder_.write("e.toml", test::quickExperiment("gloo", 100'000'000));
    for (const std::string asked : {"signal 0", "signal 1", "stop 0", "stop 1"}) {
        SCOPED_TRACE(asked);
        const std::size_t rank = asked.back() == '0' ? 0 : 1;
        const std::vector<std::string> workspaces{"apart0", "apart1"};
        auto workers = start(workspaces);
        for (const std::string& workspace : workspaces) {
            ASSERT_TRUE(test::newestRunComesTo(folder_.path() / workspace, [](const storage::RunRow& row) {
                return row.status == "running" && row.steps > 10;
            }));
        }
        if (asked.starts_with("signal")) {
            workers[rank].signal(SIGTERM);
        } else {
            const std::string run = storage::RunReader::open(folder_.path() / workspaces[rank])->list()->front().runId;
            const test::Ended stop = folder_.run({"stop", run, "-w", workspaces[rank]});
            ASSERT_EQ(stop.exit, 0) << stop.err;
        }
        for (test::StartedProgram& worker : workers) EXPECT_EQ(worker.wait().exit, 130);
        std::vector<std::int64_t> steps;
        for (const std::string& workspace : workspaces) {
            const auto row = storage::RunReader::open(folder_.path() / workspace)->list()->front();
            EXPECT_EQ(row.status, "stopped");
            steps.push_back(row.steps);
        }
        EXPECT_EQ(steps[0], steps[1]);
    }
}

}  // namespace
}  // namespace dasgd::experiments
