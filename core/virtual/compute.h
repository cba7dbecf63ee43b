// How long a rank computes, in simulated time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "core/base/fields.h"

namespace dasgd {

struct ComputeParams {
    std::string mode = "maths";
    std::string stepTime = "measured";
    double forwardShare = 1.0 / 3;
    std::string memoryBandwidth = "10GB/s";
    double contention = 0;
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
    }
    [[nodiscard]] std::optional<FieldError> check() const;
    [[nodiscard]] bool measured() const { return stepTime == "measured"; }
    [[nodiscard]] double memoryBytesPerSecond() const;  // of checked values
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

// One rank's. Deterministic.
class ComputeModel {
public:
    ComputeModel(const ComputeParams& params, StepTimes times) : params_(params), times_(std::move(times)) {}
    // Of a piece of work of this kind; `bytes` is what a snapshot or a merge goes over. 0 for what is not computing.
    [[nodiscard]] double seconds(SpanKind kind, std::int64_t bytes) const;
    // From the gradient before it to this one.
    [[nodiscard]] double gradientSeconds(std::size_t slot) const;

private:
    ComputeParams params_;
    StepTimes times_;
};

}  // namespace dasgd
