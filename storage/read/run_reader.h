// Runs of a workspace, read only: list, settings, provenance, state of their ranks, the queue. Each call is one short
// read transaction that locks no writer out. An object belongs to one thread at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/analysis/statistics.h"
#include "core/base/event.h"
#include "core/base/result.h"
#include "storage/queue/queue.h"
#include "storage/runs/hardware.h"
#include "storage/runs/lost_run.h"
#include "storage/runs/run_row.h"

namespace dasgd::storage {

class ReadConnection;

// Provenance and settings of a run that the list does not need.
struct RunDetail {
    RunRow row;
    std::int64_t plannedSteps = 0;
    double stepsPerEpoch = 0;
    bool linkEmulated = false;
    std::string link;  // "200Mbps, 1ms" or ""
    std::string host, cpu, gitDirtyDiff;
    std::vector<std::string> rankHosts;  // by rank; empty where a rank did not report its host
    std::vector<HardwarePart> hardware;  // hardware of `host`
    bool gitDirty = false;
    std::string versions;                // JSON object: library → version
    Ns clockOrigin = 0;                  // raw CLOCK_MONOTONIC of instant 0, on the host that ran it
    double clockErrorS = 0;              // bound on the clock offset between hosts; 0 on one host
    std::optional<Straggler> straggler;  // straggler by the newest 65,536 spans
    Sample inflation;                    // inflationOfRanks(); its mean is the row's
    // Why what waits, in the workspace's queue or for its turn in its series, has not started; "": it starts at once,
    // or does not wait.
    std::string waitsFor;
};

// Where a run ran, and whether its code was that of its commit.
struct RunProvenance {
    std::string host, cpu;              // "" where they were not recorded
    std::map<int, std::string> hostOf;  // host of each rank that reported it; empty in simulated time
    std::size_t hosts = 0;              // number of hosts of its ranks; 0 where a rank did not report its host
    bool gitDirty = false;
};

// The timed part of one rank, as it is now. Absent: not timed, nothing transferred, no step of the kind.
struct RankRow {
    int rank = 0;
    std::optional<double> stepMs, measuredS, hidden, blockedS, skewS, inflation;
    std::int64_t timedSteps = 0;
};

class RunReader {
public:
    // `workspace` is the folder that holds lab.db. Errors: no such workspace, not a database of ours, a newer schema
    // (which names the version and says to update).
    static Result<RunReader> open(const std::filesystem::path& workspace);
    // Reads over a connection that other readers of the same thread may share.
    explicit RunReader(std::shared_ptr<ReadConnection> connection);

    [[nodiscard]] Result<std::vector<RunRow>> list();                  // newest first
    [[nodiscard]] Result<RunDetail> detail(const std::string& runId);  // exact id or a unique prefix
    // The row of the same run, without reading its spans.
    [[nodiscard]] Result<RunRow> row(const std::string& runId);
    // The hosts and the state of the code of a run, without reading its spans. Errors: no such run.
    [[nodiscard]] Result<RunProvenance> provenance(const std::string& runId);
    // The end of a run that is stored as queued or running although no process runs it any more: the end that the next
    // opening of the workspace for writing stores. nullopt while a process owns the run or one of its ranks lives,
    // while it waits in the queue, and if that cannot be known: without an owner lock, if locks of other hosts may be
    // hidden, and for a run from another workspace, where its owner is (RunRow::heardAt gives the age of its status).
    [[nodiscard]] Result<std::optional<LostRun>> lost(const std::string& runId);
    // The workspace's queue, and "pid host" of the process that works it, "" where none does.
    [[nodiscard]] Result<Queue> queue();
    [[nodiscard]] Result<std::string> queueWorker();
    [[nodiscard]] Result<std::vector<RankRow>> ranks(const std::string& runId);  // by rank
    // Instant of the newest committed record of the run, on the run's own time line (for "n ms behind").
    [[nodiscard]] Result<Ns> newestInstant(const std::string& runId);

private:
    class Kept;
    RunRow rowOf(const std::string& fullId);  // throws SQLite::Exception
    std::shared_ptr<ReadConnection> connection_;
    std::shared_ptr<Kept> kept_;
};

}  // namespace dasgd::storage
