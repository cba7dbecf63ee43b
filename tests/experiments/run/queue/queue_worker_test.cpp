// The worker of a queue, as a process of its own with processes of its own.
#include "experiments/run/queue/queue_worker.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <memory>
#include <optional>

#include "storage/write/recorder.h"
#include "tests/support/queue_runs.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QueueWorkerTest : public test::QueueFolder {
protected:
    // Cores that the ranks of the run may use.
    [[nodiscard]] std::string coresOf(const test::StartedProgram& worker, const std::string& run) const {
        for (const pid_t entry : test::childrenOf(worker.id())) {
            if (test::contentOf("/proc/" + std::to_string(entry) + "/cmdline").find(run) == std::string::npos) continue;
            for (const pid_t rank : test::childrenOf(entry)) {
                const std::string status = test::contentOf("/proc/" + std::to_string(rank) + "/status");
                const auto at = status.find("Cpus_allowed_list:\t");
                if (at != std::string::npos) return status.substr(at + 19, status.find('\n', at) - at - 19);
            }
        }
        return {};
    }
    // Every run that has that seed, and no process of theirs.
    [[nodiscard]] int runsOf(int seed) const {
        const auto all = rows();
        return static_cast<int>(std::ranges::count(all, seed, &storage::RunRow::seed));
    }
};

TEST_F(QueueWorkerTest, OneAfterAnotherInTheirOrder) {
    const auto ids = add(test::quickExperiment("threads"), {"--sweep", "train.seed=1..3"});
    ASSERT_EQ(folder_.run({"queue", "first", ids.at(2), "-w", "w"}).exit, 0);
    const test::Ended worked = work({"--until-empty", "--json"}).wait();
    EXPECT_EQ(worked.exit, 0) << worked.err;
    const auto place = [&](std::size_t run) { return worked.out.find("\"run_id\":\"" + ids[run] + "\""); };
    EXPECT_LT(place(2), place(0));
    EXPECT_LT(place(0), place(1));
    EXPECT_NE(place(1), std::string::npos);
    EXPECT_THAT(queue().entries, IsEmpty());
    for (const std::string& id : ids) EXPECT_EQ(row(id).status, "finished");
}

// The folder may be lost by hand, or by a crash of the machine. The record has all that is needed to run.
TEST_F(QueueWorkerTest, AFolderThatIsGoneIsMadeAgain) {
    const auto ids = add(test::quickExperiment("threads"));
    std::filesystem::remove_all(folder_.workspace() / "runs" / ids.at(0));
    const test::Ended worked = work({"--until-empty"}).wait();
    EXPECT_EQ(worked.exit, 0) << worked.err;
    EXPECT_EQ(row(ids[0]).status, "finished");
}

TEST_F(QueueWorkerTest, TwoAtOnceShareNoCore) {
    if (ownMachine({}, {})->cpus.size() < 2) return;  // they run one after another then
    const auto ids = add(test::longExperiment(1), {"--sweep", "train.seed=1..3", "--restarts", "0"});
    test::StartedProgram worker = work({"--slots", "2"});
    ASSERT_TRUE(trains(1));
    ASSERT_TRUE(trains(2));
    EXPECT_EQ(row(ids.at(2)).status, "queued");
    const std::string first = coresOf(worker, ids[0]), second = coresOf(worker, ids[1]);
    EXPECT_FALSE(first.empty());
    EXPECT_FALSE(second.empty());
    EXPECT_NE(first, second);
    // The crash of one harms no other; it has no restart left.
    const auto entries = test::childrenOf(worker.id());
    ASSERT_THAT(entries, SizeIs(2));
    ::kill(entries[0], SIGKILL);
    ASSERT_TRUE(trains(3)) << "the next one takes its place";
    const auto all = rows();
    EXPECT_EQ(std::ranges::count(all, std::string("running"), &storage::RunRow::status), 2);
    EXPECT_EQ(std::ranges::count(all, std::string("interrupted"), &storage::RunRow::status), 1);
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait().exit, 130);
    EXPECT_THAT(queue().entries, SizeIs(2));
}

// SLURM ends a job with this signal, and starts it again.
TEST_F(QueueWorkerTest, ATermStopsAtOneStepAndTheNextGoesOn) {
    const std::string text = test::longExperiment(2, 15'000, 1'000'000);
    static_cast<void>(add(text, {"--sweep", "train.seed=1..2"}));
    {
        test::StartedProgram worker = work({"--until-empty"});
        ASSERT_TRUE(trains(1));
        worker.signal(SIGTERM);
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, 130) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr("it goes on from step"));
    }
    EXPECT_EQ(newestOf(1).status, "queued");
    EXPECT_GT(newestOf(1).resumedStep, 0);
    EXPECT_EQ(newestOf(1).queueTurn, 0) << "in its place";
    const test::Ended again = work({"--until-empty"}).wait();
    EXPECT_EQ(again.exit, 0) << again.err;
    const test::Ended whole = folder_.run({"run", "e.toml", "-w", "whole", "-q", "--set", "train.seed=1"});
    ASSERT_EQ(whole.exit, 0) << whole.err;
    auto reader = storage::RunReader::open(folder_.path() / "whole");
    ASSERT_TRUE(reader);
    const std::string unbroken =
        test::contentOf(folder_.path() / "whole/runs" / reader->list()->front().runId / "model.safetensors");
    EXPECT_EQ(newestOf(1).status, "finished");
    EXPECT_EQ(modelOf(newestOf(1)), unbroken);
    EXPECT_FALSE(unbroken.empty());
    EXPECT_EQ(runsOf(1), 2);
    EXPECT_EQ(runsOf(2), 1);
}

TEST_F(QueueWorkerTest, StopTakesARunOutWhileItTrains) {
    const auto ids = add(test::longExperiment(1), {"--sweep", "train.seed=1..2"});
    test::StartedProgram worker = work();
    ASSERT_TRUE(trains(1));
    EXPECT_EQ(folder_.run({"stop", ids.at(0), "-w", "w"}).exit, 0);
    ASSERT_TRUE(trains(2));
    EXPECT_EQ(row(ids[0]).status, "stopped");
    EXPECT_EQ(runsOf(1), 1) << "it does not go on";
    EXPECT_THAT(queue().entries, SizeIs(1));
    worker.signal(SIGINT);
    EXPECT_EQ(worker.wait().exit, 130);
}

TEST_F(QueueWorkerTest, ThereIsOneWorker) {
    static_cast<void>(add(test::longExperiment(1)));
    test::StartedProgram worker = work();
    ASSERT_TRUE(trains(1));
    const test::Ended second = work().wait();
    EXPECT_EQ(second.exit, 2);
    EXPECT_THAT(second.err, HasSubstr("worked already, by process " + std::to_string(worker.id())));
    EXPECT_EQ(work({"--until-empty"}).wait().exit, 0) << "somebody does it";
    EXPECT_THAT(folder_.run({"queue", "-w", "w"}).out, HasSubstr("worked by process"));
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait().exit, 130);
}

TEST_F(QueueWorkerTest, WaitsForRunsOfOtherCommands) {
    folder_.write("other.toml", test::longExperiment(1));
    test::StartedProgram other = folder_.start({"run", "other.toml", "-w", "w", "-q", "--set", "train.seed=9"});
    ASSERT_TRUE(trains(9));
    const auto ids = add(test::quickExperiment("threads"));
    test::StartedProgram worker = work({"--until-empty"});
    ASSERT_TRUE(
        test::eventually([&] { return !storage::queueWorker(storage::WorkspacePaths{folder_.workspace()}).empty(); }));
    std::this_thread::sleep_for(std::chrono::seconds(2));  // it looks four times a second
    EXPECT_EQ(row(ids.at(0)).status, "queued");
    other.signal(SIGTERM);
    EXPECT_EQ(other.wait().exit, 130);
    const test::Ended ended = worker.wait();
    EXPECT_EQ(ended.exit, 0);
    EXPECT_THAT(ended.err, HasSubstr("other runs train"));
    EXPECT_EQ(row(ids[0]).status, "finished");
}

// The process of a run, and a rank of it, are killed while it trains.
TEST_F(QueueWorkerTest, WhatIsKilledGoesOnFromItsCheckpointAndTheListSaysSo) {
    static_cast<void>(add(test::longExperiment(2, 20'000, 500)));
    test::StartedProgram worker = work({"--until-empty"});
    std::string last;
    for (const bool rank : {false, true}) {
        const auto trainsAgain = [&] {
            const storage::RunRow newest = newestOf(1);
            const auto latest = folder_.workspace() / "runs" / newest.runId / "checkpoints/latest";
            return newest.runId != last && newest.status == "running" && std::filesystem::exists(latest);
        };
        ASSERT_TRUE(test::eventually(trainsAgain, std::chrono::seconds(50)));
        last = newestOf(1).runId;
        const auto entries = test::childrenOf(worker.id());
        ASSERT_THAT(entries, SizeIs(1));
        const auto ranks = test::childrenOf(entries[0]);
        ASSERT_FALSE(ranks.empty());
        ::kill(rank ? ranks.front() : entries[0], SIGKILL);
    }
    ASSERT_TRUE(test::eventually([&] { return newestOf(1).runId != last; }));
    const std::string table = folder_.run({"queue", "-w", "w"}).out;
    EXPECT_THAT(table, HasSubstr("2x, interrupted; 1 left"));
    const test::Ended ended = worker.wait();
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_THAT(ended.err, HasSubstr("was interrupted; it goes on from step"));
    EXPECT_EQ(newestOf(1).status, "finished");
    EXPECT_EQ(newestOf(1).restarted, 2);
    EXPECT_GT(newestOf(1).resumedStep, 0);
    EXPECT_THAT(newestOf(1).restartReason, HasSubstr("signal 9"));
    EXPECT_THAT(folder_.run({"list", "-w", "w"}).out, HasSubstr("2x, interrupted"));
    EXPECT_THAT(folder_.run({"show", newestOf(1).runId, "-w", "w"}).out,
                HasSubstr("2x by the queue, last reason: interrupted: "));
    const test::Ended whole = folder_.run({"run", "e.toml", "-w", "whole", "-q"});
    ASSERT_EQ(whole.exit, 0) << whole.err;
    auto reader = storage::RunReader::open(folder_.path() / "whole");
    ASSERT_TRUE(reader);
    EXPECT_EQ(modelOf(newestOf(1)),
              test::contentOf(folder_.path() / "whole/runs" / reader->list()->front().runId / "model.safetensors"));
}

// Without a checkpoint the run begins again, and after so many deaths it is given up.
TEST_F(QueueWorkerTest, WhatIsKilledAgainAndAgainIsGivenUp) {
    static_cast<void>(add(test::longExperiment(1, 100'000'000, 1'000'000'000)));
    test::StartedProgram worker = work({"--until-empty"});
    std::string last;
    for (int kill = 0; kill < 4; ++kill) {
        ASSERT_TRUE(test::eventually(
            [&] { return newestOf(1).runId != last && newestOf(1).status == "running" && newestOf(1).steps > 10; },
            std::chrono::seconds(50)));
        last = newestOf(1).runId;
        const auto entries = test::childrenOf(worker.id());
        ASSERT_THAT(entries, SizeIs(1));
        ::kill(entries[0], SIGKILL);
    }
    EXPECT_EQ(worker.wait().exit, 1);
    EXPECT_THAT(queue().entries, IsEmpty());
    EXPECT_EQ(newestOf(1).runId, last);
    EXPECT_EQ(newestOf(1).restarted, 3);
    EXPECT_EQ(newestOf(1).status, "interrupted");
}

TEST_F(QueueWorkerTest, AFailureTakesItsRestartsAndTheQueueGoesOn) {
    const auto ids =
        add(test::quickExperiment("threads"), {"--restarts", "2", "--sweep", "optimizer.learning_rate=1e6,0.1"});
    const test::Ended worked = work({"--until-empty"}).wait();
    EXPECT_EQ(worked.exit, 1);
    const auto all = rows();
    EXPECT_EQ(std::ranges::count(all, std::string("failed"), &storage::RunRow::status), 3);
    EXPECT_EQ(row(ids.at(1)).status, "finished");
    EXPECT_THAT(queue().entries, IsEmpty());
}

// The worker would read a file that nobody can open any more, and wait in it for ever.
TEST_F(QueueWorkerTest, EndsWhereItsWorkspaceIsGone) {
    const std::filesystem::path database = folder_.workspace() / "lab.db";
    for (const std::filesystem::path& gone : {database, folder_.workspace()}) {
        test::removeWhatIsInUse(folder_.workspace());
        test::StartedProgram worker = work({"--slots", "2"});
        // Recorded once it has opened all that it opens.
        ASSERT_TRUE(test::eventually([&] { return queue().atOnce == 2; }));
        test::removeWhatIsInUse(gone);
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, 1) << ended.err;
        EXPECT_THAT(ended.err, HasSubstr(database.string() + " was removed or replaced"));
        EXPECT_THAT(ended.err, HasSubstr("--workspace"));
        EXPECT_FALSE(std::filesystem::exists(database)) << "it makes no new one";
    }
}

// The workspace goes and comes back like a mount; the end of a run's process meanwhile does not make the worker give up
// earlier.
TEST_F(QueueWorkerTest, OutlivesAWorkspaceThatIsAwayForAMoment) {
    static_cast<void>(add(test::longExperiment(1)));
    test::StartedProgram worker = work();
    ASSERT_TRUE(trains(1));
    const std::string first = newestOf(1).runId;
    const auto entries = test::childrenOf(worker.id());
    ASSERT_THAT(entries, SizeIs(1));
    std::filesystem::rename(folder_.workspace(), folder_.path() / "elsewhere");
    ::kill(entries[0], SIGKILL);
    EXPECT_TRUE(test::eventually([&] { return test::childrenOf(worker.id()).empty(); })) << "the process is reaped";
    test::removeWhatIsInUse(folder_.workspace());
    std::filesystem::rename(folder_.path() / "elsewhere", folder_.workspace());
    EXPECT_TRUE(test::eventually([&] { return newestOf(1).runId != first; }));
    EXPECT_TRUE(trains(1));
    worker.signal(SIGTERM);
    EXPECT_EQ(worker.wait().exit, 130);
}

// The lock of a run is in its folder: without it nothing tells whether its process lives.
TEST_F(QueueWorkerTest, ARunUnderWayWhoseFolderWasRemovedIsNotWaitedFor) {
    for (const bool isEntry : {true, false}) {
        test::removeWhatIsInUse(folder_.workspace());
        std::string run = add(test::quickExperiment("threads")).at(0);
        std::optional<storage::Store> store = test::orDie(storage::Store::open(folder_.workspace()));
        if (isEntry) {
            test::orDie(store->takeFromQueue(run, {}));
        } else {
            storage::RunInfo info = test::orDie(store->infoOf(run));
            info.runId = run = "of-another-command";
            test::orDie(store->addRun(info));
        }
        std::unique_ptr<storage::Recorder> recorder = test::orDie(storage::Recorder::start(*store, run, {0, 1}));
        // It is owned when the worker opens the workspace, so it is not taken for dead then.
        test::StartedProgram worker = work({"--until-empty"});
        ASSERT_TRUE(test::eventually(
            [&] { return !storage::queueWorker(storage::WorkspacePaths{folder_.workspace()}).empty(); }));
        test::removeWhatIsInUse(folder_.workspace() / "runs" / run);
        recorder.reset();
        store.reset();
        const test::Ended ended = worker.wait();
        EXPECT_EQ(ended.exit, 0) << ended.err;
        EXPECT_THAT(queue().entries, IsEmpty());
        EXPECT_EQ(row(run).status, "interrupted");
        const auto all = rows();
        EXPECT_EQ(std::ranges::count(all, std::string("finished"), &storage::RunRow::status), 1);
    }
}

TEST_F(QueueWorkerTest, RunsEndWithAWorkerWhoseWorkspaceIsGone) {
    static_cast<void>(add(test::longExperiment(1)));
    test::StartedProgram worker = work({"--until-empty"});
    ASSERT_TRUE(trains(1));
    const std::string first = newestOf(1).runId;
    const auto entries = test::childrenOf(worker.id());
    ASSERT_THAT(entries, SizeIs(1));
    const auto ranks = test::childrenOf(entries[0]);
    ASSERT_THAT(ranks, SizeIs(1));
    std::filesystem::rename(folder_.workspace(), folder_.path() / "elsewhere");
    EXPECT_EQ(worker.wait().exit, 1);
    for (const pid_t process : {entries[0], ranks[0]})
        EXPECT_TRUE(test::eventually([&] { return test::hasEnded(process); }));
    // Back in its place: the entry is still there, and goes on.
    test::removeWhatIsInUse(folder_.workspace());
    std::filesystem::rename(folder_.path() / "elsewhere", folder_.workspace());
    test::StartedProgram again = work();
    EXPECT_TRUE(test::eventually([&] { return newestOf(1).runId != first; }));
    EXPECT_TRUE(trains(1));
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait().exit, 130);
}

}  // namespace
}  // namespace dasgd::experiments
