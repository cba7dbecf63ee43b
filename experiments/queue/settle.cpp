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
    return Settled{.end = end, .next = {}};
}

Result<Settled> goOn(storage::Store& store, const storage::QueueEntry& entry, int restarts, End end) {
    DASGD_ASSIGN(auto reader, storage::RunReader::open(store.paths().root));
    DASGD_ASSIGN(const storage::RunRow row, reader.row(entry.runId));
    std::optional<ResumePoint> from;
    if (auto found = resumePointOf(store.paths(), reader, row)) from = std::move(found->point);
    DASGD_ASSIGN(std::string next, enqueueNext(store, entry.runId, from, restarts));
    return Settled{.end = end, .next = std::move(next), .step = from ? from->step : 0};
}

Result<Settled> afterFailure(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry) {
    if (entry.restarts > 0 && !entry.cancelled) return goOn(store, entry, entry.restarts - 1, End::Restarts);
    return takeOut(queue, entry.runId, End::Failed);
}

// The process ended before it had begun the run.
Result<Settled> notBegun(storage::Store& store, storage::QueueStore& queue, const storage::QueueEntry& entry,
                         EndCause cause) {
    if (entry.cancelled) {
        DASGD_ASSIGN(const auto done, queue.cancel(entry.runId));
        return Settled{.end = done == storage::QueueStore::Cancelled::TakenOut ? End::TakenOut : End::Undecided,
                       .next = {}};
    }
    if (cause != EndCause::Itself) return Settled{.end = End::Waits, .next = {}};
    DASGD_ASSIGN(const bool again, queue.spendRestart(entry.runId));
    if (again) return Settled{.end = End::Waits, .next = {}};
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
    if (entry.status == "failed" && cause != EndCause::StopOfAll) return afterFailure(store, queue, entry);
    if (entry.cancelled) return takeOut(queue, entry.runId, End::TakenOut);
    if (entry.status == "interrupted" && cause == EndCause::Itself) return afterFailure(store, queue, entry);
    return goOn(store, entry, entry.restarts, End::GoesOn);
}

}  // namespace dasgd::experiments
