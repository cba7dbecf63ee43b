// Computing time of a rank, in simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/result.h"
#include "core/base/schema/fields.h"
#include "core/cost/step_time.h"
#include "core/sim/compute/jitter.h"

namespace dasgd {

struct LayerWork;

// Ranks that take longer than the others.
struct StragglerParams {
    std::vector<std::int64_t> ranks;
    double factor = 2;
    double probability = 1;
    std::int64_t every = 1;
    void visit(auto&& f) {
        f(ranks, "ranks", {.min = 0, .max = 4095, .help = "The slow ranks; none given: all ranks"});
        f(factor, "factor", {.min = 1, .max = 1e6, .help = "A slow step takes so many times as long"});
        f(probability, "probability",
          {.min = 0, .max = 1, .help = "Probability that a step is slow, each independently"});
        f(every, "every", {.min = 1, .max = 1e9, .unit = "steps", .help = "Interval of the steps that may be slow"});
    }
    [[nodiscard]] bool mayBeSlow(int rank, std::int64_t step) const;
};

// How well a calibration knows its constants. Nothing is simulated with it: `dasgd advise` reads it.
struct UncertaintyParams {
    double stepTime = 0;
    double exchange = 0;
    std::vector<double> contention;
    void visit(auto&& f) {
        f(stepTime, "step_time",
          {.min = 0, .max = 1, .help = "Half of the 95 % interval of the step time, as a share of it"});
        f(exchange, "exchange",
          {.min = 0, .max = 1, .help = "Deviation of the longest transfer from the fitted link, as a share of it"});
        f(contention, "contention",
          {.min = 0, .max = kMostContention, .help = "Ends of the 95 % interval of the contention; none: not known"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
};

struct ComputeParams {
    std::string mode = "maths";
    std::string stepTime = "measured";
    std::string device = "none";
    double peakTeraflops = 0;
    double efficiency = 0;
    double forwardShare = 0;
    std::string memoryBandwidth = "10GB/s";
    double contention = 0;
    std::string jitter = "none";
    std::vector<double> jitterSamples;
    std::vector<double> rankFactors = {1.0};
    std::vector<double> gradientShares;
    std::optional<StragglerParams> straggler;
    std::optional<UncertaintyParams> uncertainty;
    std::int64_t seed = -1;  // below 0: train.seed, once an experiment is read
    void visit(auto&& f) {
        f(mode, "mode",
          {.help = "maths: train, simulate only time; time-only: no replicas, no loss, thousands of workers",
           .choices = {"maths", "time-only"}});
        f(stepTime, "step_time",
          {.symbol = "T_c",
           .help =
               "Forward, backward and update of one local step, of one micro-batch where train.accumulate is more than "
               "1, as 60ms; measured: on this machine; device: FLOP of "
               "the model for the batch / (peak x efficiency)"});
        f(device, "device", {.help = "Device of a worker; its figures are the maker's", .choices = devices()});
        f(peakTeraflops, "peak_tflops",
          {.min = 0, .max = 1e9, .unit = "TFLOP/s", .help = "Peak in single precision; 0: the device's"});
        f(efficiency, "efficiency",
          {.min = 0, .max = 1, .help = "Share of the peak that training reaches; must be given, no default exists"});
        f(forwardShare, "forward_share",
          {.min = 0,
           .max = 1,
           .maxOpen = true,
           .help =
               "Forward pass as a share of a step time that is not measured; the rest is the backward pass; 0: by the "
               "layers' FLOP"});
        f(memoryBandwidth, "memory_bandwidth",
          {.help = "Rate at which snapshots and merges read and write the weights, as 10GB/s; device: its own"});
        f(contention, "contention",
          {.min = 0,
           .max = kMostContention,
           .symbol = "κ",
           .help = "Computing takes 1 + κ times as long while a collective transfers"});
        f(jitter, "jitter",
          {.help =
               "Scatter of the step time, mean 1: none, normal(0.05), lognormal(0.05), exponential(0.05), samples"});
        f(jitterSamples, "jitter_samples",
          {.min = 0,
           .help = "For jitter = \"samples\": quantiles of a measured distribution, evenly spaced, ascending"});
        f(rankFactors, "rank_factors",
          {.min = 0,
           .minOpen = true,
           .help = "Factors on the ranks' step times, in turn: [1.0, 1.5] slows every second rank down"});
        f(gradientShares, "gradient_shares",
          {.min = 0,
           .max = 1,
           .help =
               "For a given step time: share of the backward pass that each parameter's gradient takes, in order of "
               "registration; none: by the model's layers"});
        f(straggler, "straggler", {.help = "Ranks that are slow: always, at random, or every so many steps"});
        f(uncertainty, "uncertainty",
          {.help =
               "How well a calibration knows these constants; nothing is simulated with it, dasgd advise reads it"});
        f(seed, "seed", {.min = -1, .max = 9e15, .help = "Of jitter and stragglers; -1: train.seed"});
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    [[nodiscard]] bool measured() const { return stepTime == "measured"; }
    [[nodiscard]] bool ofDevice() const { return stepTime == "device"; }
    // Fills in the device's figures from the table where the user leaves them to it, so that a run's record has them.
    // The values have been checked.
    void fillInDevice();
    [[nodiscard]] double memoryBytesPerSecond() const;  // after fillInDevice()
    [[nodiscard]] JitterSpec jitterSpec() const;

private:
    [[nodiscard]] static std::vector<std::string> devices();
    [[nodiscard]] std::optional<FieldError> checkDevice() const;
};

// Phases of one local step, in seconds, on a rank that nothing disturbs.
struct StepTimes {
    double data = 0;
    double forward = 0;
    double backward = 0;
    double update = 0;
    // For each parameter (slot of the flat weights): the share of the backward pass between the gradient that was ready
    // before it and its own. In slot order; sums to at most 1. Empty: all gradients are ready at the end.
    std::vector<double> gradientShares;
    // Share of the forward pass that is computed with each parameter. Empty where that is not known.
    std::vector<double> forwardShares;

    // Seconds of a step of so many batches, after the last of which the weights are updated.
    [[nodiscard]] double total(std::int64_t batches = 1) const {
        return (data + forward + backward) * static_cast<double>(batches) + update;
    }
};

// Step times from a step time that was given, or for `samples` a step on a device: forward, backward and each layer by
// its share of `work`, for a model with parameters of these sizes. Errors: a device, and a model in which nothing can
// be counted.
[[nodiscard]] Result<StepTimes> estimateStepTimes(const ComputeParams& params, const LayerWork& work,
                                                  const std::vector<std::int64_t>& parameterSizes,
                                                  std::int64_t samples);

// Computing times of one rank. The same parameters give the same times.
class ComputeModel {
public:
    ComputeModel(const ComputeParams& params, StepTimes times, int rank);
    // Seconds of a piece of work of this kind; `bytes` is the memory that a snapshot or a merge goes over. 0 for kinds
    // that are not computing. A forward pass begins a step: jitter and stragglers are drawn for it then.
    [[nodiscard]] double seconds(SpanKind kind, std::int64_t bytes);
    // Sets the share that the next batches have of the samples on which the times are based. Data, forward and backward
    // times are taken to be proportional to it. `sameStep`: the next forward pass begins no step.
    void setBatchShare(double share, bool sameStep) {
        batchShare_ = share;
        begun_ = sameStep;
    }
    // Seconds from the gradient before it to this one.
    [[nodiscard]] double gradientSeconds(std::size_t slot) const;
    // Seconds of the forward pass with this parameter. The first call of a step begins it.
    [[nodiscard]] double forwardSeconds(std::size_t slot);

private:
    void beginStep();

    ComputeParams params_;
    StepTimes times_;
    int rank_;
    Jitter jitter_;
    double memoryBytesPerSecond_;
    std::int64_t step_ = 0;
    bool begun_ = false;   // the forward pass of the present step has begun
    double slowness_ = 1;  // factor of the present step
    double batchShare_ = 1;
};

}  // namespace dasgd
