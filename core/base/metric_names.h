// The names of metrics: what they mean, and which rank records them when, is in storage/format.md, whose table has
// exactly these.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dasgd::metrics {

inline constexpr std::string_view kTrainLoss = "train/loss";
inline constexpr std::string_view kTrainStepMs = "train/step_ms";
inline constexpr std::string_view kEvalLoss = "eval/loss";
inline constexpr std::string_view kEvalAccuracy = "eval/accuracy";
inline constexpr std::string_view kEvalReplicaAccuracy = "eval/replica_accuracy";
inline constexpr std::string_view kConsensusDistance = "consensus/distance";
inline constexpr std::string_view kSamplesPerS = "throughput/samples_per_s";
inline constexpr std::string_view kComputedStepMs = "run/computed_step_ms";
inline constexpr std::string_view kHostDown = "fault/host_down";
inline constexpr std::string_view kLinkDown = "fault/link_down";
inline constexpr std::string_view kClockErrorS = "clock/error_s";

// What follows names the payload in bytes, the parameter, or the weight.
inline constexpr std::string_view kProbeAllReduceMs = "probe/all_reduce_ms/";
inline constexpr std::string_view kProbeAllGatherMs = "probe/all_gather_ms/";
inline constexpr std::string_view kProbeGradientBeforeEndMs = "probe/gradient_before_end_ms/";
inline constexpr std::string_view kWeight = "weight/";

// All of them.
inline constexpr std::array kNames{kTrainLoss,
                                   kTrainStepMs,
                                   kEvalLoss,
                                   kEvalAccuracy,
                                   kEvalReplicaAccuracy,
                                   kConsensusDistance,
                                   kSamplesPerS,
                                   kComputedStepMs,
                                   kHostDown,
                                   kLinkDown,
                                   kClockErrorS,
                                   kProbeAllReduceMs,
                                   kProbeAllGatherMs,
                                   kProbeGradientBeforeEndMs,
                                   kWeight};

// What rank 0 records under these beginnings is about the whole run.
inline constexpr std::array<std::string_view, 4> kWholeRunPrefixes{"eval/", "consensus/", "run/", "throughput/"};

constexpr bool isOfWholeRun(std::string_view name) {
    return std::any_of(kWholeRunPrefixes.begin(), kWholeRunPrefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace dasgd::metrics
