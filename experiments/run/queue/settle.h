// Decides about an entry of the queue after the process that ran it has ended: the entry is taken out, or a run that
// resumes takes its place.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "storage/queue/queue.h"
#include "storage/write/recorder.h"

namespace dasgd::experiments {

// The cause for which the process that ran an entry ended.
enum class EndCause {
    Itself,      // the run ended, or a process of this run alone was killed or crashed
    StopOfAll,   // this worker was asked to stop; its runs resume with the next worker
    WorkerGone,  // no fault of the run: the worker that started it died, or the process could not take the entry
};

// The outcome for an entry.
struct EntryOutcome {
    enum class End {
        Finished,  // the run is finished and the entry removed
        Failed,    // the run failed with no restart left, and the entry is removed
        TakenOut,  // `dasgd stop` was called for the entry, and it is removed
        GoesOn,    // the run `next` takes the entry's place and resumes from `step`, at no restart
        Restarts,  // the same after a failure or the death of a process, at one restart
        Waits,     // the run was not begun; the entry stays and starts in its turn
        Undecided  // a rank of the run is still alive: ask again later
    };
    End end = End::Undecided;
    std::string next;       // run that resumes, for GoesOn and Restarts
    std::int64_t step = 0;  // step from which it resumes; 0: from the beginning
    int restartsLeft = 0;   // restarts left to the run `next`
};

// Decides about `entry`, as it was read last. Preconditions: no process owns the run, and `store` was opened after the
// run's process ended, so that the records of a dead process are taken in. Each outcome is one transaction, so that a
// process that is killed meanwhile leaves the decision to the next one that asks. Errors: of the workspace.
[[nodiscard]] Result<EntryOutcome> settle(storage::Store& store, storage::QueueStore& queue,
                                          const storage::QueueEntry& entry, EndCause cause);

}  // namespace dasgd::experiments
