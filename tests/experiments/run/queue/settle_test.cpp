#include "experiments/run/queue/settle.h"

#include <gmock/gmock.h>

#include "core/base/digest/sha256.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/checkpoint/durable_file.h"
#include "tests/support/dasgd_program.h"
#include "tests/support/runs.h"

namespace dasgd::experiments {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using End = EntryOutcome::End;

class Settle : public ::testing::Test {
protected:
    Settle() { add("a", 0); }
    void add(const std::string& id, int restarts, bool afterFailure = true) {
        storage::RunInfo info = test::runInfo(id);
        info.queueEntry = {.restarts = restarts, .afterFailure = afterFailure};
        test::orDie(store_.addRun(info));
    }
    void checkpoint(const std::string& id, std::int64_t step) {
        const CheckpointFolder folder(store_.paths().checkpoints(id));
        test::orDie(writeDurably(test::orDie(folder.begin(step)) / CheckpointFolder::rankFileName(Rank(0)), "state"));
        DASGD_CHECK(folder.claim(step, 1).value());
        static_cast<void>(test::orDie(folder.complete({.runId = id,
                                                       .step = step,
                                                       .ranks = 1,
                                                       .configHash = sha256Of(test::runInfo(id).config),
                                                       .wall = step * 1000,
                                                       .savedAt = ""},
                                                      9)));
    }
    std::vector<storage::QueueEntry> entries() { return test::orDie(queue_.read()).entries; }
    // Settles the first entry, whose run has ended as `status`.
    EntryOutcome after(const std::string& status, EndCause cause) {
        const std::string run = entries().front().runId;
        if (status != "queued") test::orDie(store_.abandonRun(run, status, ""));
        return test::orDie(settle(store_, queue_, entries().front(), cause));
    }
    storage::RunRow row(const std::string& id) { return test::orDie(reader_.row(id)); }

    test::TempDir folder_;
    storage::Store store_ = test::orDie(storage::Store::open(folder_ / "w"));
    storage::QueueStore queue_ = test::orDie(storage::QueueStore::open(folder_ / "w"));
    storage::RunReader reader_ = test::orDie(storage::RunReader::open(folder_ / "w"));
};

TEST_F(Settle, WhatFinishedIsTakenOut) {
    EXPECT_EQ(after("finished", EndCause::WorkerGone).end, End::Finished);
    EXPECT_THAT(entries(), IsEmpty());
    EXPECT_EQ(row("a").status, "finished");
}

TEST_F(Settle, WhatAWorkerStoppedGoesOnFromItsCheckpoint) {
    checkpoint("a", 40);
    const EntryOutcome outcome = after("stopped", EndCause::StopOfAll);
    EXPECT_EQ(outcome.end, End::GoesOn);
    EXPECT_EQ(outcome.step, 40);
    EXPECT_EQ(entries().at(0).runId, outcome.next);
    EXPECT_EQ(row(outcome.next).status, "queued");
    EXPECT_EQ(row(outcome.next).resumedFrom, "a");
    EXPECT_EQ(row(outcome.next).resumedStep, 40);
}

TEST_F(Settle, WhatDiedWithItsWorkerGoesOnAndCostsNoRestart) {
    const EntryOutcome outcome = after("interrupted", EndCause::WorkerGone);
    EXPECT_EQ(outcome.end, End::GoesOn);
    EXPECT_EQ(row(outcome.next).resumedFrom, "") << "there is no checkpoint";
    checkpoint(outcome.next, 10);
    const EntryOutcome again = after("interrupted", EndCause::WorkerGone);
    EXPECT_EQ(row(again.next).resumedFrom, outcome.next);
    // The newest run has no checkpoint of its own and is resumed from that of the one before.
    const EntryOutcome third = after("interrupted", EndCause::WorkerGone);
    EXPECT_EQ(row(third.next).resumedFrom, outcome.next);
    EXPECT_EQ(row(third.next).resumedStep, 10);
}

TEST_F(Settle, AFailureCostsARestart) {
    EXPECT_EQ(after("failed", EndCause::Itself).end, End::Failed);
    EXPECT_THAT(entries(), IsEmpty());
    add("b", 1);
    const EntryOutcome outcome = after("failed", EndCause::WorkerGone);
    EXPECT_EQ(outcome.end, End::Restarts);
    EXPECT_EQ(entries().at(0).restarts, 0);
    EXPECT_EQ(after("interrupted", EndCause::Itself).end, End::Failed) << "its process alone was killed";
}

// A training that was killed is restarted from its checkpoint; one that failed by its own fault would mostly fail
// again.
TEST_F(Settle, ADeathCostsARestartAndAFailureGetsNoneUnlessAskedFor) {
    test::orDie(queue_.remove("a"));
    add("b", 2, false);
    checkpoint("b", 40);
    const EntryOutcome killed = after("interrupted", EndCause::Itself);
    EXPECT_EQ(killed.end, End::Restarts);
    EXPECT_EQ(killed.step, 40);
    EXPECT_EQ(killed.restartsLeft, 1);
    EXPECT_EQ(row(killed.next).restarted, 1);
    EXPECT_EQ(row(killed.next).restartReason, "interrupted");
    test::orDie(store_.abandonRun(killed.next, "interrupted", "rank 1 ended by signal 9"));
    const EntryOutcome ofRank = test::orDie(settle(store_, queue_, entries().front(), EndCause::Itself));
    EXPECT_EQ(ofRank.end, End::Restarts) << "a rank was killed";
    EXPECT_EQ(ofRank.step, 40);
    EXPECT_EQ(row(ofRank.next).restarted, 2);
    EXPECT_EQ(row(ofRank.next).restartReason, "interrupted: rank 1 ended by signal 9");
    EXPECT_EQ(after("interrupted", EndCause::Itself).end, End::Failed) << "none is left";
    add("c", 2, false);
    EXPECT_EQ(after("failed", EndCause::Itself).end, End::Failed);
    EXPECT_THAT(entries(), IsEmpty());
}

TEST_F(Settle, ADamagedCheckpointIsPassedOver) {
    test::orDie(queue_.remove("a"));
    add("b", 2, false);
    for (const std::int64_t step : {40, 60}) checkpoint("b", step);
    test::writeText(store_.paths().checkpoints("b") / "step-60/rank-0000.safetensors", "stafe");
    EXPECT_EQ(after("interrupted", EndCause::Itself).step, 40);
}

// The end of a job sends the ranks a signal too: that is no failure of theirs.
TEST_F(Settle, AFailureWhileAllStopIsNone) { EXPECT_EQ(after("failed", EndCause::StopOfAll).end, End::GoesOn); }

TEST_F(Settle, WhatSomebodyTookOutDoesNotGoOn) {
    for (const char* status : {"stopped", "interrupted"}) {
        test::orDie(store_.takeFromQueue(entries().front().runId, {}));
        EXPECT_EQ(test::orDie(queue_.cancel(entries().front().runId)), storage::QueueStore::Cancelled::Marked);
        EXPECT_EQ(after(status, EndCause::WorkerGone).end, End::TakenOut) << status;
        EXPECT_THAT(entries(), IsEmpty());
        add(std::string("after-") + status, 5);
    }
    test::orDie(store_.takeFromQueue("after-interrupted", {}));
    static_cast<void>(test::orDie(queue_.cancel("after-interrupted")));
    EXPECT_EQ(after("failed", EndCause::Itself).end, End::Failed) << "nor does it restart";
}

TEST_F(Settle, WhatWasNotBegunWaitsOrFailsInTheEnd) {
    EXPECT_EQ(after("queued", EndCause::WorkerGone).end, End::Waits);
    EXPECT_EQ(after("queued", EndCause::Itself).end, End::Failed);
    EXPECT_EQ(row("a").status, "failed");
    EXPECT_THAT(row("a").error, HasSubstr("launcher.log"));
    add("b", 1);
    EXPECT_EQ(after("queued", EndCause::Itself).end, End::Waits);
    EXPECT_EQ(entries().at(0).restarts, 0);
    EXPECT_EQ(row("b").status, "queued");
}

TEST_F(Settle, WhatStillRunsIsLeftAlone) {
    test::orDie(store_.takeFromQueue("a", {}));
    const auto recorder = test::orDie(storage::Recorder::start(store_, "a", {0}));
    EXPECT_EQ(test::orDie(settle(store_, queue_, entries().front(), EndCause::WorkerGone)).end, End::Undecided);
    EXPECT_EQ(entries().size(), 1U);
}

}  // namespace
}  // namespace dasgd::experiments
