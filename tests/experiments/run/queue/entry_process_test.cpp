// The process of one entry: `dasgd queue start`, which the worker starts.
#include "experiments/run/queue/entry_process.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "experiments/run/queue/enqueue.h"
#include "tests/support/queue_runs.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class EntryProcess : public test::QueueFolder {
protected:
    [[nodiscard]] test::StartedProgram start(const std::string& run, std::vector<std::string> options = {}) const {
        std::vector<std::string> arguments{"queue", "start", run, "-w", "w", "--worker", std::to_string(::getpid())};
        arguments.insert(arguments.end(), options.begin(), options.end());
        return folder_.start(arguments);
    }
};

TEST_F(EntryProcess, RunsItToItsEndAndLeavesTheEntryToTheWorker) {
    const auto ids = add(test::quickExperiment("gloo"));
    const test::Ended ended = start(ids.at(0)).wait();
    EXPECT_EQ(ended.exit, 0) << ended.err;
    EXPECT_EQ(row(ids[0]).status, "finished");
    EXPECT_EQ(row(ids[0]).steps, 30);
    EXPECT_THAT(queue().entries, SizeIs(1));
    const test::Ended again = start(ids[0]).wait();
    EXPECT_EQ(again.exit, kNotOurs);
    EXPECT_THAT(again.err, HasSubstr("is finished"));
}

TEST_F(EntryProcess, WithoutItsWorkerItDoesNothing) {
    const auto ids = add(test::quickExperiment("threads"));
    EXPECT_EQ(folder_.run({"queue", "start", ids.at(0), "-w", "w", "--worker", "1"}).exit, 130);
    EXPECT_EQ(row(ids[0]).status, "queued");
}

TEST_F(EntryProcess, RunsWhereItIsToldAndStopsOnceHoweverOftenItIsAsked) {
    const auto ids = add(test::longExperiment(1));
    test::StartedProgram program = start(ids.at(0), {"--cpus", "0"});
    ASSERT_TRUE(trains(1));
    const std::vector<pid_t> ranks = test::childrenOf(program.id());
    ASSERT_THAT(ranks, SizeIs(1));
    EXPECT_THAT(test::contentOf("/proc/" + std::to_string(ranks[0]) + "/status"), HasSubstr("Cpus_allowed_list:\t0\n"));
    const test::Ended second = start(ids[0]).wait();
    EXPECT_EQ(second.exit, kNotOurs) << "it has one process";
    program.signal(SIGTERM);
    program.signal(SIGTERM);
    ::usleep(150'000);
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait().exit, 130);
    EXPECT_EQ(row(ids[0]).status, "stopped");
    EXPECT_TRUE(std::filesystem::exists(folder_.workspace() / "runs" / ids[0] / "checkpoints/latest"));
}

TEST_F(EntryProcess, WhatCannotStartSaysWhy) {
    const auto ids = add(test::quickExperiment("threads"));
    auto store = test::orDie(storage::Store::open(folder_.workspace()));
    test::orDie(store.abandonRun(ids.at(0), "interrupted", ""));
    const ResumePoint gone{.runId = ids[0], .checkpoints = store.paths().checkpoints(ids[0]), .step = 7};
    const std::string next = test::orDie(enqueueNext(store, ids[0], gone, 0, "interrupted"));
    EXPECT_EQ(start(next).wait().exit, 1);
    EXPECT_EQ(row(next).status, "interrupted") << "it goes on from another checkpoint, where a restart is left";
    EXPECT_THAT(row(next).error, HasSubstr("step"));
}

TEST_F(EntryProcess, WhatIsToldWronglyIsRefused) {
    const auto ids = add(test::quickExperiment("threads"));
    EXPECT_THAT(start(ids.at(0), {"--cpus", "x"}).wait().err, HasSubstr("no list of cores"));
    EXPECT_EQ(row(ids[0]).status, "queued");
}

}  // namespace
}  // namespace dasgd::experiments
