// The one writer of a run: tails the ranks' journals into lab.db, in transactions, under the workspace's lock. The rows
// and how far each journal was read go into the same transaction, so every record lands exactly once, whoever dies
// when.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "storage/base/workspace.h"
#include "storage/hardware.h"

namespace dasgd::storage {

class RecordStream;

// The facts of a run that are known before its first step. Strings are as in RunRow and RunDetail.
struct RunInfo {
    std::string runId, experiment, algorithm, backend, config;
    std::int64_t seed = 0;
    int workers = 0;
    int trainers = 0;  // ranks that do not serve; 0: all
    std::int64_t plannedSteps = 0;
    double stepsPerEpoch = 0;
    double batchSize = 0;   // samples of one rank in one step, mean over an epoch: its last batch may be short
    bool keepSpans = true;  // false: spans are counted into the numbers of the run, but not stored
    bool linkEmulated = false;
    bool timeSimulated = false;
    std::string link;
    std::string host, cpu, gitCommit, gitDirtyDiff;
    bool gitDirty = false;
    std::string versions;  // JSON
    Ns clockOrigin = 0;    // raw CLOCK_MONOTONIC of the run's instant 0 on this host
    std::string schema;    // symbols, units and defaults of the settings, JSON (storage/format.md); "" where not known
    // Series of the runs that one command makes one after the other: id of its first run, number of this run in it,
    // from 0, and number of its runs. "" and 0: a run of its own.
    std::string series;
    std::int64_t seriesPlace = 0, seriesSize = 0;
    std::vector<HardwarePart> hardware;  // hardware of `host`
    // Run from whose checkpoint this one resumes, and the step of the checkpoint; "" and 0: it begins at step 0.
    std::string resumedFrom;
    std::int64_t resumedStep = 0;
    // Entry in the workspace's queue (storage/queue.h) of a run that waits there and belongs to no process.
    struct QueueEntry {
        int cores = 1, gpus = 0;
        int restarts = 0;  // number of restarts that are left
        bool afterFailure =
            false;             // it restarts after a failure of its own too, not only after the death of its process
        std::string replaces;  // run whose entry this one takes, with its place and needs; "": a new entry
        std::string reason;    // reason for which it takes that entry
    };
    std::optional<QueueEntry> queueEntry;
};

// The place of a run that waits: the run with the smallest turn starts next, a held run does not start.
struct QueuePlace {
    std::string runId;
    double turn = 0;
    bool held = false;
    bool operator==(const QueuePlace&) const = default;
};

// A writable workspace: creates and migrates lab.db, and on opening takes in what dead owners left behind: their
// journals are read to the end and the run becomes `interrupted` (or what its ranks had said). Owners hold a shared
// flock(owner.lock): the Store from addRun() on, the Recorder from start() to finish(). Use from one thread.
class Store {
public:
    // Errors: unwritable or missing parent, a newer schema, a network file system.
    static Result<Store> open(const std::filesystem::path& workspace);
    Store(Store&&) noexcept;
    Store& operator=(Store&&) noexcept;
    ~Store();

    // A new id, unique in the workspace: "20261121-120301-dasgd-4f2a".
    [[nodiscard]] std::string newRunId(const std::string& algorithm) const;
    // Writes the row as `queued`, makes the run folder and owns the run, unless it has an entry in the queue. Where the
    // id is known already (another rank started by hand was first), it joins that run; another configuration or number
    // of workers is an error.
    Status addRun(const RunInfo& info);
    // Takes ownership of a run that waits in the queue, to start it. Its host, cpu, hardware and versions become those
    // of `where`. Errors: it does not wait there any more, or another process owns it.
    Status takeFromQueue(const std::string& runId, const RunInfo& where);
    // The argument with which addRun() added a run, without its place in the queue.
    [[nodiscard]] Result<RunInfo> infoOf(const std::string& runId);
    // Changes the instant 0 of the run that addRun() wrote: raw CLOCK_MONOTONIC of this host.
    Status setClockOrigin(const std::string& runId, Ns clockOrigin);
    // Writes the places at which runs of a series wait, in one transaction. Runs that do not wait are passed over.
    Status setQueue(const std::vector<QueuePlace>& places);
    // Ends a run that was added and will not be started, with `status` (interrupted, failed, …) and the reason `error`.
    Status abandonRun(const std::string& runId, const std::string& status, const std::string& error);
    // Number of runs of dead owners that open() took in.
    [[nodiscard]] int recovered() const;
    [[nodiscard]] const WorkspacePaths& paths() const;

private:
    friend class Recorder;
    friend class ImportedRun;
    class Impl;
    explicit Store(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

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
