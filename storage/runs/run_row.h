// One row of the list of runs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace dasgd::storage {

// Stands for the backend of a run that was imported from a trace file.
inline constexpr const char* kTraceBackend = "trace";

// One row of the view run_list. Absent numbers (run too young, nothing reduced) are nullopt.
struct RunRow {
    std::string runId, experiment, algorithm;
    std::int64_t seed = 0;
    int workers = 0;
    std::string backend;
    std::string status;     // queued running finished failed stopped interrupted
    std::string startedAt;  // ISO 8601, UTC
    std::string endedAt;    // the same; "" before its end, and where nobody was there to write it down
    double wallS = 0;
    std::int64_t steps = 0, samples = 0, bytesSent = 0;
    std::optional<double> finalLoss, bestAccuracy, hidden, blockedS, samplesPerS;
    bool lossIsNaN = false;  // the final loss is recorded, and no number: `finalLoss` is absent
    std::string gitCommit;
    std::string config;  // resolved TOML
    std::string error;
    // Over all ranks and clean windows only; absent where nothing was timed (storage/format.md).
    std::optional<double> stepMs, skewS, inflation, timedSteps;
    std::optional<double> measuredS;  // time over which `blockedS` was measured, mean over the ranks
    // blockedS ÷ measuredS.
    [[nodiscard]] std::optional<double> blocked() const {
        if (!blockedS || measuredS.value_or(0) <= 0) return std::nullopt;
        return *blockedS / *measuredS;
    }
    int inflationRanks = 0;  // number of ranks whose inflation is known
    std::int64_t plannedSteps = 0;
    // Series of the runs that one command makes one after the other: id of its first run, number of this run in it,
    // from 0, and planned number of its runs. "" and 0: a run of its own.
    std::string series;
    std::int64_t seriesPlace = 0, seriesSize = 0;
    // While it is queued: of one series the run with the smallest turn starts next, one that is held does not start.
    std::optional<double> queueTurn;  // absent: its launcher cannot be asked for another order
    bool held = false;
    // It is an entry of the workspace's queue (storage/queue/queue.h): `queueTurn` is its place among all that wait
    // there, from 0.
    bool inQueue = false;
    // The run whose checkpoint this one goes on from, and the step of that; its metrics up to there are this one's too.
    // "" and 0: it began at its beginning.
    std::string resumedFrom;
    std::int64_t resumedStep = 0;
    // Number of times that the workspace's queue has restarted the training, this run included, and the reason of the
    // last restart, as "interrupted: …". 0 and "" where it never did.
    int restarted = 0;
    std::string restartReason;
    // The workspace that a run was taken from ("ssh://login/lab", a folder or a file), when it was last heard from (ISO
    // 8601, UTC), and the path of `dasgd` there. "" for a run of this workspace.
    std::string origin, heardAt, originProgram;
    // Every instant and duration of the run is simulated.
    bool timeSimulated = false;
    // Its spans come from a trace file: nothing of it was measured or simulated by us.
    [[nodiscard]] bool imported() const { return backend == kTraceBackend; }
    // It waited in a queue, and was taken out of it before it started: `stopped`, as the record has it, and nothing
    // went on that could stop.
    [[nodiscard]] bool takenOut() const {
        return status == "stopped" && steps == 0 && endedAt.empty() && !(wallS > 0) && !imported();
    }
    // Symbols, units and defaults of the settings, JSON (storage/format.md); null where it was not recorded. Runs of
    // one algorithm share it.
    std::shared_ptr<const std::string> schema;
};

}  // namespace dasgd::storage
