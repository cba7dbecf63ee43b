// Scaling of runs that differ in nothing but the number of workers and the seeds: which of them belong to one line, and
// time, throughput, speed-up, efficiency and time to a target at each number of workers. Command line, window and
// figures take their numbers from here. Pure functions, callable from any thread; storage/compare/scaling.h reads the
// rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/configuration.h"
#include "core/analysis/statistics.h"
#include "core/base/result.h"

namespace dasgd {

// Kind of scaling: the batch of each worker stays the same (weak), or the batch of all together (strong).
enum class Scaling { Weak, Strong };

// Position of a run among the others, by its settings.
struct LinePlace {
    // Keys that are equal for runs of one line: those that differ only in workers, seeds and experiment's name; in
    // strong scaling also in a worker's batch and in a given step time, as long as batch × workers and time ÷ batch are
    // the same. Kinds of cluster, networks and links differ: measured and simulated runs are never one line.
    std::string weak, strong;
    std::string seeds;            // seedsOf()
    std::int64_t batch = 0;       // samples of one worker in one step; 0 where the settings do not say
    bool sharesStepTime = false;  // in strong scaling a given step time goes with the batch
    [[nodiscard]] const std::string& key(Scaling scaling) const { return scaling == Scaling::Weak ? weak : strong; }
};
[[nodiscard]] LinePlace placeOf(const Settings& settings);
// Identity of what is computed, whatever cluster it runs on and however its batch is shared out: equal for measured and
// simulated runs of the same training.
[[nodiscard]] std::string workloadOf(const Settings& settings);

// A value that a run has to reach at an evaluation.
struct Target {
    enum class Metric { Accuracy, Loss };
    Metric metric = Metric::Accuracy;
    double value = 0;
    bool operator==(const Target&) const = default;
    [[nodiscard]] bool reachedBy(double evaluated) const;
    [[nodiscard]] std::string inWords() const;  // "accuracy ≥ 0.97", "loss ≤ 0.1"
};
// Reads "accuracy=0.97" or "loss=0.1". Errors say which part is wrong.
[[nodiscard]] Result<Target> parseTarget(const std::string& text);

// The run's own target (train.target_accuracy, train.target_loss); nullopt where it has none.
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

// A value of the target's metric at one evaluation.
struct MetricAtStep {
    std::int64_t step = 0;
    double value = 0;
    std::optional<double> seconds = std::nullopt;  // seconds of training until then, where they are known
};
// Times and evaluations of a run that are stored beside its row.
struct RunTimes {
    std::optional<double> stepMs;  // as in the run's row
    // Evaluations on the validation set where the run has one, else on the test set: train.target_accuracy is judged on
    // it.
    std::vector<MetricAtStep> accuracies, losses;
};
// Seconds of training until the first evaluation that reaches the target, as they were measured: steps need not cost
// the same from one end of a run to the other. Start-up and evaluations are not included, so that measured and
// simulated runs mean the same. nullopt where none reaches it, or the time is not known.
[[nodiscard]] std::optional<double> secondsTo(const Target& target, const RunTimes& times);
// True where any evaluation reaches the target, timed or not.
[[nodiscard]] bool reaches(const Target& target, const RunTimes& times);

// A finished run of a line.
struct ScalingRun {
    std::string runId, startedAt, seeds;
    int workers = 0;
    std::int64_t batch = 0;
    std::optional<double> stepMs, hidden, secondsToTarget;
    // Throughput of all workers, as in run_list (storage/format.md), so that every page shows the same for a run.
    // nullopt: batch × workers ÷ time per step.
    std::optional<double> samplesPerS;
    bool reachedTarget = false;  // also where secondsToTarget is not known
    bool timeSimulated = false;  // its times are simulated
};

// One number of workers. Means and spreads are over the seeds; among runs with the same seeds the newest counts.
struct ScalingPoint {
    int workers = 0;
    std::int64_t batch = 0;           // batch of one worker
    std::vector<std::string> runIds;  // runs behind the numbers, by seeds
    Sample stepMs, samplesPerS, hidden;
    // Throughput ÷ mean throughput at the smallest number of workers of the line that was timed; and that ÷ the ratio
    // of the workers, so that 1 is as good as the smallest. Empty where only one number of workers was timed. Spreads
    // are of both (ratioOf()), with the point's own n: none where either has one seed, and none where a point is
    // divided by itself.
    Sample speedUp, efficiency;
    Sample secondsToTarget;   // over the runs that reached it: n may be smaller than the number of runs
    std::size_t reached = 0;  // runs that reached it, also those whose time is not known
    [[nodiscard]] bool allReached() const { return secondsToTarget.n == runIds.size(); }
};
// Points by number of workers. `runs` belong to one line, in any order.
[[nodiscard]] std::vector<ScalingPoint> scalingPoints(std::vector<ScalingRun> runs);

// Lines that begin at the same number of workers, but with other throughputs: their speed-ups and efficiencies, each
// relative to its own start, cannot be compared with one another. A single worker of an algorithm that averages may pay
// for averages with nobody.
struct UnequalStarts {
    std::size_t slowest = 0, fastest = 0;  // indices of the lines
    int workers = 0;
    double share = 1;  // throughput of the slowest ÷ that of the fastest
    // The scatter of the two over the seeds is as large (welchP()), which does not say that they begin alike.
    bool withinScatter = false;
};
// The two lines that are furthest apart, among those that are further apart than their seeds scatter, else among all.
// nullopt where they begin within 2 % of each other, or fewer than two lines scale.
[[nodiscard]] std::optional<UnequalStarts> unequalStarts(const std::vector<const std::vector<ScalingPoint>*>& lines);

}  // namespace dasgd
