// Choice of settings for each configuration of an experiment among candidates that are the same for all: by their
// results on the validation set, with successive halving (Jamieson, Talwalkar 2016, arXiv 1502.07943).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/config/sweep.h"

namespace dasgd::experiments {

struct TuningSettings {
    std::vector<std::string> over;  // axes of the grid, as of --sweep: "optimizer.learning_rate=0.01,0.02"
    std::string seeds;              // of the runs that choose: "101,102" or "101..103"
    std::size_t draws = 0;          // number of candidates that are drawn from the grid; 0: the whole grid
    std::int64_t drawSeed = 1;
    int rounds = 1;       // rounds of halving; the last one trains in full
    int keep = 3;         // one in so many candidates goes on; each round trains so many times longer
    bool byLoss = false;  // the smallest validation loss is the best; else the largest validation accuracy
};

struct TuningCandidate {
    std::string label;                            // "optimizer.learning_rate=0.02"
    std::vector<Value> values;                    // by axis; one that the algorithm does not read is not applied
    std::vector<ExpandedExperiment> experiments;  // of each seed, trained in full
    std::vector<std::optional<double>> scores;    // of each round: mean over the seeds; nullopt where a run failed
    std::vector<std::string> runIds;              // of the last round that it was in
};

struct TuningConfiguration {
    std::string label;  // what distinguishes it in the file; the algorithm where there is one alone
    std::vector<TuningCandidate> candidates;
    std::vector<std::size_t> alive;  // candidates that are in the coming round, best first after the first one
    Value::Array seeds;              // train.seed of each of the file's own runs of it
};

struct TuningPlan {
    std::vector<SweepAxis> axes;
    std::vector<TuningConfiguration> configurations;
};

// Errors: of the document; no axis; a seed that the file's own runs have, on which a choice would flatter them; no
// validation set; runs without an accuracy to choose by; an axis that no configuration reads, or of what the file
// sweeps; a choice that tunedFile() could not write.
[[nodiscard]] Result<TuningPlan> planTuning(const Value& document, const Overrides& overrides,
                                            const TuningSettings& settings);

// Number of steps in a round (from 0) of an experiment that has `total` in full: total ÷ keep^(rounds − 1 − round), up.
[[nodiscard]] std::int64_t stepsInRound(std::int64_t total, int round, const TuningSettings& settings);
// The document trained for so many steps; unchanged where they are all.
[[nodiscard]] Value shortened(Value document, std::int64_t steps, std::int64_t total);

// Ends a round: the best of those that were in it are left, one in `keep`, rounded up; one after the last round. Those
// without a score come last; of equal ones the first.
void endRound(TuningConfiguration& configuration, int round, const TuningSettings& settings);

// "the best optimizer.learning_rate of dasgd, 0.1, is the largest that was tried: add larger ones"; for each axis of
// numbers with at least three of them. Empty where the best is inside.
[[nodiscard]] std::vector<std::string> edgesInWords(const TuningPlan& plan);

// The file with the chosen values: a [[case]] for each configuration where there are several, and the seeds that it
// had. `origin`: lines that say where they come from, put above as comments. Errors: a configuration of which every run
// failed; a file that would not stand for exactly what was chosen.
[[nodiscard]] Result<std::string> tunedFile(const TuningPlan& plan, const std::vector<std::string>& origin);

}  // namespace dasgd::experiments
