// Comparison of runs; repetitions of one configuration (configuration.h) are one row. Command line and window take
// their numbers from here. Pure functions, callable from any thread; storage/compare/comparison.h reads the rows.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "core/analysis/runs/equal_samples.h"
#include "core/analysis/runs/scaling.h"
#include "core/analysis/runs/setup.h"
#include "core/analysis/statistics.h"
#include "core/analysis/times_to_target.h"
#include "core/base/result.h"

namespace dasgd {

// The facts about a run that a comparison needs.
struct ComparedRun {
    std::string runId, algorithm;
    Settings settings;
    bool finished = false;  // others count in `unfinished`, and in no mean
    std::string startedAt;  // ISO 8601, UTC
    std::optional<double> stepMs, finalLoss, bestAccuracy, hidden, blocked, samplesPerS;
    // Mean skew of a transfer, and compute inflation, where the ranks of the run tell it (inflation.h).
    std::optional<double> skewMs, inflation;
    double bytesSent = 0, samples = 0;
    TimeSource time = TimeSource::Measured;
    std::string emulatedLink;  // "200Mbps, 1ms"; "" where none is emulated
    RunSetup setup;
    bool disturbed = false;   // other programs took cores that its ranks wanted (storage/compare/external_load.h)
    bool partlyRead = false;  // an imported run that lacks events of its damaged files (storage/write/imported_run.h)
    // Evaluations of a finished run.
    EvaluationCurve losses, accuracies;
    // Results on the test set of the model chosen on the validation set so far; empty without a validation set.
    EvaluationCurve chosen, chosenLosses;
    bool language = false;  // its models have a perplexity
    // Smallest loss on the test set; with a validation set that of the model chosen on it. For runs that are judged by
    // their loss: those of texts and of values.
    [[nodiscard]] std::optional<double> bestLoss() const { return bestLossUpTo(losses.lastSamples()); }
    [[nodiscard]] std::optional<double> bestLossUpTo(std::int64_t trained) const;
    // exp of the best loss of a text; nullopt for other data.
    [[nodiscard]] std::optional<double> bestPerplexity() const { return bestPerplexityUpTo(losses.lastSamples()); }
    [[nodiscard]] std::optional<double> bestPerplexityUpTo(std::int64_t trained) const;
    // Amounts until the first evaluation that reached the target. Samples are of all workers, bytes those that the rank
    // which recorded it had sent. Seconds are of training (storage/format.md, eval/trained_s), and not always known.
    std::optional<double> secondsToTarget, stepsToTarget, samplesToTarget, bytesToTarget;
    // Seconds of training until its last evaluation, of a run that did not reach the target.
    std::optional<double> secondsWithoutTarget;
};

struct ComparedGroup {
    std::string label;  // "dasgd delay=2": the algorithm and the settings that distinguish the groups
    std::string algorithm;
    std::vector<std::string> runIds;
    std::size_t unfinished = 0;  // runs that failed or stopped; counted in no mean
    // Runs whose seeds another run of `runIds` has too: the same run made twice, of which the newest counts, a finished
    // one before the others. They are in no mean, and not in `unfinished`.
    std::size_t repeated = 0;
    std::size_t disturbed = 0;   // number of its finished runs that were disturbed
    std::size_t partlyRead = 0;  // number of its finished runs that were read in part
    // The best accuracy, loss and perplexity are of models chosen on a validation set, not on the test set itself.
    bool chosenOnValidation = false;
    std::set<TimeSource> times;    // time sources of its finished runs
    std::string emulatedLink;      // emulated link of the first finished run
    std::vector<RunSetup> setups;  // different setups of its finished runs; another machine is no other setup
    Sample stepMs, finalLoss, bestAccuracy, hidden, blocked, skewMs, inflation, samplesPerS, bytesSent;
    Sample bestLoss, bestPerplexity;                                        // for models that are judged by their loss
    Sample samples;                                                         // trained on by all workers of a run
    Sample equalLoss, equalBestAccuracy, equalBestPerplexity;               // at Comparison::equalSamples
    Sample secondsToTarget, stepsToTarget, samplesToTarget, bytesToTarget;  // over the runs that reached it
    // Seconds to the target over all finished runs: those that did not reach it were watched until their last
    // evaluation. n = 0 where no target is set, or the training time of a run is not known.
    TimesToTarget timesToTarget;
    // Time per step of the baseline ÷ that of this group (ratioOf()), with the group's own n. Exactly 1, without a
    // spread, for the baseline itself.
    Sample speedUp;
    // Time per step ÷ that of the baseline, and ÷ that of `independent` (computing alone); n = 0 without either. No
    // spread where a group is divided by itself.
    Sample stepRatio, computeRatio;
    // This group is the divisor of stepRatio, or of computeRatio: its own ratio is 1, which no seed changes.
    bool isBaseline = false, isComputeBase = false;
    // Time to the target ÷ that of the baseline; only where all finished runs of both reached it.
    Sample targetRatio;
    // Probability of a difference as large as that from the baseline if both were equal: pairedP() where both have runs
    // of the same seeds, else welchP(); adjusted for all groups that are compared with it (holmAdjusted()). nullopt for
    // the baseline itself, and where either has fewer than two runs. For loss and accuracy only where all runs were
    // trained on the same number of samples; for the target only where all finished runs of both reached it.
    std::optional<double> stepP, lossP, accuracyP, perplexityP, targetP;
    // Number of runs in the means.
    [[nodiscard]] std::size_t finished() const { return runIds.size() - unfinished - repeated; }
    // True where secondsToTarget covers every finished run. The mean over those that reached the target alone flatters
    // a group of which others did not: it is neither drawn, ranked nor divided.
    [[nodiscard]] bool allReached() const { return secondsToTarget.n > 0 && secondsToTarget.n == finished(); }
    // True where some of its times are simulated and equal in all runs (summariseTimes()).
    [[nodiscard]] bool hasOneDraw() const;
    // True where its models are judged by perplexity; an accuracy is that of tokens.
    [[nodiscard]] bool isOfTexts() const { return bestPerplexity.n > 0; }
};

struct Comparison {
    std::vector<ComparedGroup> groups;  // in the order of their first run
    std::string baseline;               // a label; "" where nothing was timed
    // Where finished runs were trained on different numbers of samples: the largest number that all reached, by their
    // evaluations. nullopt where all were trained on the same, or none was evaluated.
    std::optional<std::int64_t> equalSamples;
    bool samplesDiffer = false;  // finished runs were trained on different numbers of samples
    // Time sources of all finished runs. More than one: simulated times stand beside measured ones.
    [[nodiscard]] std::set<TimeSource> times() const;
    // Differences between the set-ups of its finished runs. Where there is any, ratios are not of algorithms alone.
    [[nodiscard]] std::vector<SetupDifference> setupDifferences() const;
};

// Sentence for a report: "other programs took cores beside 1 of 3 runs of dasgd delay=2: these times are not of the
// machine alone"; for several groups it counts their runs and names the first few groups. "" where no run was
// disturbed.
[[nodiscard]] std::string disturbedInWords(const std::vector<const ComparedGroup*>& groups);
// "1 of 2 runs of imported were read in part, as their files are damaged: their numbers are of what could be read". ""
// where all were read.
[[nodiscard]] std::string partlyReadInWords(const std::vector<const ComparedGroup*>& groups);

// `baseline`: the label or algorithm that ratios refer to; "" takes sync_sgd where there is one, else the slowest.
// Errors: no such baseline.
[[nodiscard]] Result<Comparison> compareRuns(const std::vector<ComparedRun>& runs, const std::string& baseline);

}  // namespace dasgd
