#include "experiments/queue/settle.h"

#include <optional>

#include "experiments/launch/resume_point.h"
#include "experiments/queue/enqueue.h"
#include "storage/run_reader.h"

namespace dasgd::experiments {

namespace {

using End = Settled::End;

Result<Settled> takeOut(storage::QueueStore& queue, const std::string& run, End end) {
    DASGD_TRY(queue.remove(run));
    Settled settled;
    settled.end = end;
    return settled;
}

std::string reasonOf(const storage::RunRow& row, EndCause cause) {
    if (cause == EndCause::StopOfAll) return "worker stopped";
    return row.status + (row.error.empty() ? "" : ": " + row.error);
}

Result<Settled> goOn(storage::Store& store, const storage::QueueEntry& entry, EndCause cause, int restarts, End end) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(store.paths().root));
    DASGD_ASSIGN(const storage::RunRow row, reader.row(entry.runId));
    Settled settled;
    settled.end = end;
    settled.restartsLeft = restarts;
    const std::optional<ResumePoint> from = restartPointOf(store.paths(), reader, row);
    settled.step = from ? from->step : 0;
    DASGD_ASSIGN(settled.next, enqueueNext(store, entry.runId, from, restarts, reasonOf(row, cause)));
    return settled;
}

// A run that fails by itself would mostly fail again, so it restarts only where the entry asks for that
// (`afterFailure`). A run whose process died restarts as long as restarts are left.
Result<Settled> afterFailure(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                             EndCause cause) {
    const bool maySpend = entry.status == "interrupted" || entry.afterFailure;
    if (entry.restarts > 0 && maySpend && !entry.cancelled) {
        return goOn(store, entry, cause, entry.restarts - 1, End::Restarts);
    }
    return takeOut(queue, entry.runId, End::Failed);
}

// Settles an entry whose process ended before the run began.
Result<Settled> notBegun(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                         EndCause cause) {
    Settled settled;
    if (entry.cancelled) {
        DASGD_ASSIGN(const auto done, queue.cancel(entry.runId));
        settled.end = done == storage::QueueStore::Cancelled::TakenOut ? End::TakenOut : End::Undecided;
        return settled;
    }
    settled.end = End::Waits;
    if (cause != EndCause::Itself) return settled;
    DASGD_ASSIGN(const bool again, queue.spendRestart(entry.runId));
    if (again) return settled;
    DASGD_TRY(store.abandonRun(
        entry.runId, "failed",
        "it could not be started: see " + (store.paths().run(entry.runId) / "logs" / "launcher.log").string()));
    return takeOut(queue, entry.runId, End::Failed);
}

}  // namespace

Result<Settled> settle(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                       EndCause cause) {
    if (entry.status == "running") return Settled{};
    if (entry.status == "queued") return notBegun(store, queue, entry, cause);
    if (entry.status == "finished") return takeOut(queue, entry.runId, End::Finished);
    if (entry.status == "failed" && cause != EndCause::StopOfAll) return afterFailure(store, queue, entry, cause);
    if (entry.cancelled) return takeOut(queue, entry.runId, End::TakenOut);
    if (entry.status == "interrupted" && cause == EndCause::Itself) return afterFailure(store, queue, entry, cause);
    return goOn(store, entry, cause, entry.restarts, End::GoesOn);
}

}  // namespace dasgd::experiments
