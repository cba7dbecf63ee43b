// Decides about an entry of the queue after the process that ran it has ended: the entry is taken out, or a run that
// resumes takes its place.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "storage/queue.h"
#include "storage/recorder.h"

namespace dasgd::experiments {

// The cause of the end of the process that ran an entry.
enum class EndCause {
    Itself,      // its run did, or something that befell it alone
    StopOfAll,   // this worker was asked to stop: its runs are to go on next time
    WorkerGone,  // the worker of that time died, and its runs with it
};

struct Settled {
    enum class End {
        Finished,
        Failed,    // for good: no restart was left
        TakenOut,  // somebody stopped it
        GoesOn,    // as the run `next`, from `step`
        Restarts,  // the same after a failure, or as a process of it died, which cost it one of its restarts
        Waits,     // it was not begun; it starts in its turn
        Undecided  // a rank of it still lives: ask again later
    };
    End end = End::Undecided;
    std::string next;
    std::int64_t step = 0;
    int restartsLeft = 0;  // of the run `next`
};

// `entry` as it is now, owned by nobody; the workspace was opened for writing since (records of a dead process are
// taken in). Each outcome is one transaction: whoever is killed meanwhile, the next to ask does the rest. Errors: of
// the workspace.
[[nodiscard]] Result<Settled> settle(storage::Store& store, storage::QueueStore& queue,
                                     const storage::QueueEntry& entry, EndCause cause);

}  // namespace dasgd::experiments
