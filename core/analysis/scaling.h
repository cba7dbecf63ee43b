// How runs scale that differ in nothing but the number of workers and the seeds: which of them belong to one line, and
// time, throughput, speed-up, efficiency and time to a target at each number of workers. Command line, window and
// figures take their numbers from here. Pure functions, callable from any thread; what reads rows is in
// storage/scaling.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/configuration.h"
#include "core/analysis/statistics.h"
#include "core/base/result.h"

namespace dasgd {

// What stays the same while the workers become more: the batch of each, or the batch of all together.
enum class Scaling { Weak, Strong };

// Where a run stands among the others, by its settings.
struct LinePlace {
    // Equal for runs of one line: those that differ only in workers, seeds and experiment's name; in strong scaling
    // also in a worker's batch and in a given step time, as long as batch × workers and time ÷ batch are the same.
    // Kinds of cluster, networks and links differ: what is measured and what is simulated are never one line.
    std::string weak, strong;
    std::string seeds;            // seedsOf()
    std::int64_t batch = 0;       // samples of one worker in one step; 0 where the settings do not say
    bool sharesStepTime = false;  // in strong scaling a given step time goes with the batch
    [[nodiscard]] const std::string& key(Scaling scaling) const { return scaling == Scaling::Weak ? weak : strong; }
};
[[nodiscard]] LinePlace placeOf(const Settings& settings);
// What is computed, whatever cluster it runs on and however its batch is shared out: equal for measured and simulated
// runs of the same training.
[[nodiscard]] std::string workloadOf(const Settings& settings);

// What a run has to reach, at an evaluation.
struct Target {
    enum class Metric { Accuracy, Loss };
    Metric metric = Metric::Accuracy;
    double value = 0;
    bool operator==(const Target&) const = default;
    [[nodiscard]] bool reachedBy(double evaluated) const;
    [[nodiscard]] std::string inWords() const;  // "accuracy ≥ 0.97", "loss ≤ 0.1"
};
// "accuracy=0.97" or "loss=0.1". Errors say which part is wrong.
[[nodiscard]] Result<Target> parseTarget(const std::string& text);

// What the run itself was to reach (train.target_accuracy, train.target_loss); nullopt where it has none.
[[nodiscard]] std::optional<Target> targetOf(const Settings& settings);

// The first evaluation, by step, whose value reaches the target; null where none does. `evaluations` have a step and a
// value of the target's metric, and may be in any order.
template <class Evaluation>
[[nodiscard]] const Evaluation* firstReaching(const Target& target, const std::vector<Evaluation>& evaluations) {
    const Evaluation* first = nullptr;
    for (const Evaluation& each : evaluations) {
        if (target.reachedBy(each.value) && (!first || each.step < first->step)) first = &each;
    }
    return first;
}

// A value of the target's metric.
struct MetricAtStep {
    std::int64_t step = 0;
    double value = 0;
    std::optional<double> seconds = std::nullopt;  // of training until then, where they are known
};
// What is stored of a run's times beside its row.
struct RunTimes {
    std::optional<double> stepMs;  // as in the run's row
    // Of the validation set where the run has one, else of the test set: what train.target_accuracy is judged on.
    std::vector<MetricAtStep> accuracies, losses;
};
// Seconds of training until the first evaluation that reaches the target, as they passed: steps need not cost the same
// from one end of a run to the other. Start-up and evaluations are no part of it, so that measured and simulated runs
// say the same. nullopt where none reaches it, or the time is not known.
[[nodiscard]] std::optional<double> secondsTo(const Target& target, const RunTimes& times);
// Whether any evaluation reaches it, timed or not.
[[nodiscard]] bool reaches(const Target& target, const RunTimes& times);

// A finished run of a line.
struct ScalingRun {
    std::string runId, startedAt, seeds;
    int workers = 0;
    std::int64_t batch = 0;
    std::optional<double> stepMs, hidden, secondsToTarget;
    // Of all workers, as in run_list (storage/format.md), so that every page says the same of a run. nullopt: batch ×
    // workers ÷ time per step.
    std::optional<double> samplesPerS;
    bool reachedTarget = false;  // also where secondsToTarget is not known
};

// One number of workers. Means and spreads are over the seeds; of runs with the same seeds the newest counts.
struct ScalingPoint {
    int workers = 0;
    std::int64_t batch = 0;           // of one worker
    std::vector<std::string> runIds;  // what the numbers are of, by seeds
    Sample stepMs, samplesPerS, hidden;
    // Throughput ÷ mean throughput at the smallest number of workers of the line that was timed; and that ÷ the ratio
    // of the workers, so that 1 is as good as the smallest. None where only one number of workers was timed. Spreads
    // are of both (ratioOf()), with the point's own n: none where either has one seed, and none of what is divided by
    // itself.
    Sample speedUp, efficiency;
    Sample secondsToTarget;   // of those that reached it: n may be smaller than the number of runs
    std::size_t reached = 0;  // runs that reached it, also those whose time is not known
    [[nodiscard]] bool allReached() const { return secondsToTarget.n == runIds.size(); }
};
// By workers. `runs` of one line, in any order.
[[nodiscard]] std::vector<ScalingPoint> scalingPoints(std::vector<ScalingRun> runs);

// Lines that begin at the same number of workers, but with other throughputs: their speed-ups and efficiencies, each
// against its own beginning, cannot be compared with one another. A single worker of an algorithm that averages may pay
// for averages with nobody.
struct UnequalStarts {
    std::size_t slowest = 0, fastest = 0;  // places among the lines
    int workers = 0;
    double share = 1;  // throughput of the slowest ÷ that of the fastest
    // The seeds of the two scatter by as much (welchP()), which does not say that they begin alike.
    bool withinScatter = false;
};
// Of the lines that are further apart than their seeds scatter, else of all, the two that are furthest apart. nullopt
// where they begin within 2 % of each other, or fewer than two lines scale.
[[nodiscard]] std::optional<UnequalStarts> unequalStarts(const std::vector<const std::vector<ScalingPoint>*>& lines);

}  // namespace dasgd
