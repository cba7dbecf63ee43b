// What is known of a run before its first step, as whoever starts it writes it down.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "storage/runs/hardware.h"

namespace dasgd::storage {

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
    // Entry in the workspace's queue (storage/queue/queue.h) of a run that waits there and belongs to no process.
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

}  // namespace dasgd::storage
