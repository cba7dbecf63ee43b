// The one writer of a run: tails the ranks' journals into lab.db, in transactions, under the workspace's lock. The rows
// and how far each journal was read go into the same transaction, so every record lands exactly once, whoever dies
// when.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "storage/write/store.h"

namespace dasgd::storage {

class RecordStream;

// The common outcome of ranks.
struct RanksEnd {
    std::string status, error;
};

// Collects ranks of one run in a thread of its own until stopped; commits at least every 100 ms while there is
// something. On a full disk it says so once, keeps the journals, and goes on when there is room again.
//
// One process may collect all ranks (a launcher), or several processes some each (workers started by hand: each calls
// addRun() with the same id, then start() with its own rank). Then each finish() speaks for its ranks only, and the run
// gets its final status from the one that finishes last: failed if any failed, else interrupted, stopped, finished in
// that order. If a rank never shows up, the run ends as `interrupted` when the last process that owns it is gone.
class Recorder {
public:
    // Takes the owner lock, marks the run `running`. `ranks`: those that this process speaks for. `journals`: those
    // that it reads, each by the rank that it is of, which is one of `ranks`; none given: one journal a rank. Where
    // fewer journals than ranks are given, they are shared (JournalWriter::of). `streams`: of ranks of other hosts,
    // which are among `ranks` and have no journal here. Errors: unknown run, another process reads one of the journals,
    // disk errors.
    static Result<std::unique_ptr<Recorder>> start(Store& store, const std::string& runId, std::vector<int> ranks,
                                                   std::vector<int> journals = {},
                                                   std::vector<std::shared_ptr<RecordStream>> streams = {});
    virtual ~Recorder() = default;

    // Reads every journal to its end, commits, writes the summary and the final status, releases the owner lock and
    // removes the journals. The writers must have ended. `error`: "" takes what the first failed rank said. Where it
    // fails (disk full), journals stay and the next Store::open() does the rest. Journals with records that cannot be
    // read stay for a person.
    // Answers what the ranks are stored as: `finished` becomes `failed` where records could not be taken in, and what
    // was lost is added to `error`. Once.
    virtual Result<RanksEnd> finish(const std::string& status, const std::string& error) = 0;
    // Before finish(): a rank whose records are in another workspace, of another host, has ended as `status`.
    virtual void endedElsewhere(int rank, const std::string& status) = 0;
    // Records a metric that the collecting process measured itself; rank −1 stands for the whole run. It is in no
    // journal, so the newest values are lost if the process is killed, and dropped if too many cannot be stored.
    // Callable from any thread.
    virtual void measured(int rank, const Metric& metric) = 0;
    // Number of spans, metrics and states that this object has stored.
    [[nodiscard]] virtual std::int64_t recordsStored() const = 0;
    // Error that keeps records from being stored at present (disk full …); "" without one.
    [[nodiscard]] virtual std::string currentError() const = 0;
};

}  // namespace dasgd::storage
