// How long a rank computes, in simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/fields.h"
#include "core/virtual/jitter.h"

namespace dasgd {

// Ranks that take longer than the others.
struct StragglerParams {
    std::vector<std::int64_t> ranks;
    double factor = 2;
    double probability = 1;
    std::int64_t every = 1;
    void visit(auto&& f) {
        f(ranks, "ranks", {.min = 0, .max = 4095, .help = "Which ranks; none given: all of them"});
        f(factor, "factor", {.min = 1, .max = 1e6, .help = "A slow step takes so many times as long"});
        f(probability, "probability", {.min = 0, .max = 1, .help = "Of a step to be slow, each by itself"});
        f(every, "every", {.min = 1, .max = 1e9, .unit = "steps", .help = "Only every so many steps may be slow"});
    }
    [[nodiscard]] bool mayBeSlow(int rank, std::int64_t step) const;
};

struct ComputeParams {
    std::string mode = "maths";
    std::string stepTime = "measured";
    double forwardShare = 1.0 / 3;
    std::string memoryBandwidth = "10GB/s";
    double contention = 0;
    std::string jitter = "none";
    std::vector<double> jitterSamples;
    std::vector<double> rankFactors = {1.0};
    std::vector<double> gradientShares;
    std::optional<StragglerParams> straggler;
    std::int64_t seed = 1;
    void visit(auto&& f) {
        f(mode, "mode",
          {.help = "maths: train, simulate only time; time-only: no replicas, no loss, thousands of workers",
           .choices = {"maths", "time-only"}});
        f(stepTime, "step_time",
          {.symbol = "T_c",
           .help = "Forward, backward and update of one local step, as 60ms; measured: on this machine"});
        f(forwardShare, "forward_share",
          {.min = 0, .max = 1, .help = "Of a given step time: the rest is the backward pass"});
        f(memoryBandwidth, "memory_bandwidth",
          {.help = "At which snapshots and merges go over the weights, as 10GB/s"});
        f(contention, "contention",
          {.min = 0, .max = 100, .symbol = "κ", .help = "Computing takes 1 + κ times as long while a collective runs"});
        f(jitter, "jitter",
          {.help =
               "Scatter of the step time, mean 1: none, normal(0.05), lognormal(0.05), exponential(0.05), samples"});
        f(jitterSamples, "jitter_samples",
          {.min = 0,
           .help = "Of jitter = \"samples\": quantiles of a measured distribution, evenly spaced, ascending"});
        f(rankFactors, "rank_factors",
          {.min = 0,
           .minOpen = true,
           .help = "Of the ranks' step times, in turn: [1.0, 1.5] slows every second one down"});
        f(gradientShares, "gradient_shares",
          {.min = 0,
           .max = 1,
           .help =
               "Of a given step time: which share of the backward pass each parameter's gradient takes, in order of "
               "registration; none: by the model's layers"});
        f(straggler, "straggler", {.help = "Ranks that are slow: always, at random, or every so many steps"});
        f(seed, "seed", {.min = 0, .max = 9e15, .help = "Of jitter and stragglers"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    [[nodiscard]] bool measured() const { return stepTime == "measured"; }
    [[nodiscard]] double memoryBytesPerSecond() const;  // of checked values
    [[nodiscard]] JitterSpec jitterSpec() const;
};

// Phases of one local step, in seconds, on a rank that nothing disturbs.
struct StepTimes {
    double data = 0;
    double forward = 0;
    double backward = 0;
    double update = 0;
    // Of each parameter (slot of the flat weights): which share of the backward pass comes between the gradient that
    // was ready before it and its own. In slot order; sums to at most 1. Empty: all gradients are ready at the end.
    std::vector<double> gradientShares;

    [[nodiscard]] double total() const { return data + forward + backward + update; }
};

// Of a step time that was given, for a model with parameters of these sizes: each gradient takes its share of elements.
[[nodiscard]] StepTimes givenStepTimes(const ComputeParams& params, const std::vector<std::int64_t>& parameterSizes);

// One rank's. The same parameters give the same times.
class ComputeModel {
public:
    ComputeModel(const ComputeParams& params, StepTimes times, int rank);
    // Of a piece of work of this kind; `bytes` is what a snapshot or a merge goes over. 0 for what is not computing. A
    // forward pass begins a step: jitter and stragglers are drawn for it then.
    [[nodiscard]] double seconds(SpanKind kind, std::int64_t bytes);
    // From the gradient before it to this one.
    [[nodiscard]] double gradientSeconds(std::size_t slot) const;

private:
    void beginStep();

    ComputeParams params_;
    StepTimes times_;
    int rank_;
    Jitter jitter_;
    double memoryBytesPerSecond_;
    std::int64_t step_ = 0;
    double slowness_ = 1;  // of the present step
};

}  // namespace dasgd
