#include "experiments/run/queue/settle.h"

#include <optional>

#include "experiments/run/queue/enqueue.h"
#include "experiments/run/session/resume_point.h"
#include "storage/read/run_reader.h"

namespace dasgd::experiments {

namespace {

using End = EntryOutcome::End;

Result<EntryOutcome> takeOut(storage::QueueStore& queue, const std::string& run, End end) {
    DASGD_TRY(queue.remove(run));
    EntryOutcome outcome;
    outcome.end = end;
    return outcome;
}

std::string reasonOf(const storage::RunRow& row, EndCause cause) {
    if (cause == EndCause::StopOfAll) return "worker stopped";
    return row.status + (row.error.empty() ? "" : ": " + row.error);
}

Result<EntryOutcome> requeue(storage::Store& store, const storage::QueueEntry& entry, EndCause cause, int restarts,
                             End end) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(store.paths().root));
    DASGD_ASSIGN(const storage::RunRow row, reader.row(entry.runId));
    EntryOutcome outcome;
    outcome.end = end;
    outcome.restartsLeft = restarts;
    const std::optional<ResumePoint> from = restartPointOf(store.paths(), reader, row);
    outcome.step = from ? from->step : 0;
    DASGD_ASSIGN(outcome.next, enqueueNext(store, entry.runId, from, restarts, reasonOf(row, cause)));
    return outcome;
}

// A run that fails by itself would mostly fail again, so it restarts only where the entry asks for that
// (`afterFailure`). A run whose process died restarts as long as restarts are left.
Result<EntryOutcome> afterFailure(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                                  EndCause cause) {
    const bool maySpend = entry.status == "interrupted" || entry.afterFailure;
    if (entry.restarts > 0 && maySpend && !entry.cancelled) {
        return requeue(store, entry, cause, entry.restarts - 1, End::Restarts);
    }
    return takeOut(queue, entry.runId, End::Failed);
}

// Settles an entry whose process ended before the run began.
Result<EntryOutcome> notBegun(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                              EndCause cause) {
    EntryOutcome outcome;
    if (entry.cancelled) {
        DASGD_ASSIGN(const auto done, queue.cancel(entry.runId));
        outcome.end = done == storage::QueueStore::Cancelled::TakenOut ? End::TakenOut : End::Undecided;
        return outcome;
    }
    outcome.end = End::Waits;
    if (cause != EndCause::Itself) return outcome;
    DASGD_ASSIGN(const bool again, queue.spendRestart(entry.runId));
    if (again) return outcome;
    DASGD_TRY(store.abandonRun(
        entry.runId, "failed",
        "it could not be started: see " + (store.paths().run(entry.runId) / "logs" / "launcher.log").string()));
    return takeOut(queue, entry.runId, End::Failed);
}

}  // namespace

Result<EntryOutcome> settle(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                            EndCause cause) {
    if (entry.status == "running") return EntryOutcome{};
    if (entry.status == "queued") return notBegun(store, queue, entry, cause);
    if (entry.status == "finished") return takeOut(queue, entry.runId, End::Finished);
    if (entry.status == "failed" && cause != EndCause::StopOfAll) return afterFailure(store, queue, entry, cause);
    if (entry.cancelled) return takeOut(queue, entry.runId, End::TakenOut);
    if (entry.status == "interrupted" && cause == EndCause::Itself) return afterFailure(store, queue, entry, cause);
    return requeue(store, entry, cause, entry.restarts, End::GoesOn);
}

}  // namespace dasgd::experiments
