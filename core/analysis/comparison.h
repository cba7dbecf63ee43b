// Runs side by side; repetitions of one configuration (configuration.h) are one row. Command line and window take their
// numbers from here. Pure functions, callable from any thread; what reads rows is in storage/comparison.h.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/analysis/configuration.h"
#include "core/analysis/equal_samples.h"
#include "core/analysis/scaling.h"
#include "core/analysis/statistics.h"
#include "core/base/result.h"

namespace dasgd {

// What a comparison has to know of a run.
struct ComparedRun {
    std::string runId, algorithm;
    Settings settings;
    bool finished = false;  // others count in `unfinished`, and in no mean
    std::string startedAt;  // ISO 8601, UTC
    std::optional<double> stepMs, finalLoss, bestAccuracy, hidden, blocked, samplesPerS;
    double bytesSent = 0, samples = 0;
    // Of a finished run.
    EvaluationCurve losses, accuracies;
    EvaluationCurve chosen;  // accuracy of the model chosen on the validation set so far; empty without one
    std::optional<double> secondsToTarget;
};

struct ComparedGroup {
    std::string label;  // "dasgd delay=2": the algorithm and what sets the groups apart
    std::string algorithm;
    std::vector<std::string> runIds;
    std::size_t unfinished = 0;  // runs that failed or stopped: in no mean
    // Runs whose seeds another run of `runIds` has too: the same run made twice, of which the newest counts, a finished
    // one before the others. In no mean, and not in `unfinished`.
    std::size_t repeated = 0;
    // The best accuracy is of models chosen on a validation set, not on the test set itself.
    bool chosenOnValidation = false;
    Sample stepMs, finalLoss, bestAccuracy, hidden, blocked, samplesPerS, bytesSent;
    Sample samples;                       // of all workers of a run
    Sample equalLoss, equalBestAccuracy;  // at Comparison::equalSamples
    Sample secondsToTarget;               // of those that reached it
    // Time per step of the baseline ÷ that of this group: the ratio of the means, its spread from those of both to
    // first order, the interval with Welch's degrees of freedom. Exactly 1, without a spread, of the baseline itself.
    Sample speedUp;
    // Time per step ÷ that of the baseline, and ÷ that of `independent` (computing alone).
    std::optional<double> stepRatio, computeRatio;
    // Time to the target ÷ that of the baseline; only where all finished runs of both reached it.
    std::optional<double> targetRatio;
    // How probable a difference as large as that from the baseline were between equals (welchP()); nullopt of the
    // baseline itself, and where either has fewer than two runs. Of loss and accuracy only where all runs were trained
    // on the same number of samples, of the target as its ratio.
    std::optional<double> stepP, lossP, accuracyP, targetP;
    // How many are in the means.
    [[nodiscard]] std::size_t finished() const { return runIds.size() - unfinished - repeated; }
};

// Differences that are less probable than that between equals are called differences.
inline constexpr double kSignificance = 0.05;

struct Comparison {
    std::vector<ComparedGroup> groups;  // in the order of their first run
    std::string baseline;               // a label; "" where nothing was timed
    // Where finished runs were trained on different numbers of samples: the largest number that all reached, by their
    // evaluations. nullopt where all were trained on the same, or none was evaluated.
    std::optional<std::int64_t> equalSamples;
    bool samplesDiffer = false;  // whether finished runs were trained on different numbers of samples
};

// `baseline`: the label or algorithm that ratios refer to; "" takes sync_sgd where there is one, else the slowest.
// Errors: no such baseline.
[[nodiscard]] Result<Comparison> compareRuns(const std::vector<ComparedRun>& runs, const std::string& baseline);

}  // namespace dasgd
