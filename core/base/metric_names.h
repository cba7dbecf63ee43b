// The names of metrics: what they mean, and which rank records them when, is in storage/format.md, whose table has
// exactly these.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace dasgd::metrics {

inline constexpr const char* kTrainLoss = "train/loss";
inline constexpr const char* kTrainStepMs = "train/step_ms";
inline constexpr const char* kEvalLoss = "eval/loss";
inline constexpr const char* kEvalAccuracy = "eval/accuracy";
inline constexpr const char* kEvalValidationLoss = "eval/validation_loss";
inline constexpr const char* kEvalValidationAccuracy = "eval/validation_accuracy";
inline constexpr const char* kEvalChosenAccuracy = "eval/chosen_accuracy";
inline constexpr const char* kEvalChosenLoss = "eval/chosen_loss";
inline constexpr const char* kEvaluationSeconds = "eval/beside_s";
inline constexpr const char* kTrainedSeconds = "eval/trained_s";
inline constexpr const char* kEvalReplicaAccuracy = "eval/replica_accuracy";
inline constexpr const char* kEvalPerplexity = "eval/perplexity";
inline constexpr const char* kEvalValidationPerplexity = "eval/validation_perplexity";
inline constexpr const char* kSkippedFiles = "data/skipped";
inline constexpr const char* kConsensusDistance = "consensus/distance";
inline constexpr const char* kSamplesPerS = "throughput/samples_per_s";
inline constexpr const char* kTimedSteps = "timing/steps";
inline constexpr const char* kTimedSeconds = "timing/seconds";
inline constexpr const char* kServedSteps = "timing/served_steps";
inline constexpr const char* kRankSamplesPerS = "timing/samples_per_s";
inline constexpr const char* kStalenessSteps = "staleness/steps";
inline constexpr const char* kStalenessUpdates = "staleness/updates";
inline constexpr const char* kStalenessLead = "staleness/lead";
inline constexpr const char* kGraphDegree = "graph/degree";
inline constexpr const char* kGraphGap = "graph/spectral_gap";
inline constexpr const char* kCompressionRatio = "compression/ratio";
inline constexpr const char* kCompressionError = "compression/error";
inline constexpr const char* kComputedStepMs = "run/computed_step_ms";
inline constexpr const char* kTargetReached = "run/target_reached";
inline constexpr const char* kHostDown = "fault/host_down";
inline constexpr const char* kLinkDown = "fault/link_down";
inline constexpr const char* kClockErrorS = "clock/error_s";
inline constexpr const char* kDeviceClockErrorS = "clock/device_error_s";
inline constexpr const char* kProcessCpu = "process/cpu_cores";
inline constexpr const char* kProcessMemory = "process/memory_bytes";
inline constexpr const char* kHostCpu = "host/cpu_cores";
inline constexpr const char* kHostMemory = "host/memory_bytes";
inline constexpr const char* kHostSent = "host/sent_bytes_per_s";
inline constexpr const char* kHostReceived = "host/received_bytes_per_s";

// Prefixes. The rest of such a name is the payload in bytes, the parameter, the weight, or the name that the algorithm
// gave.
inline constexpr const char* kProbeAllReduceMs = "probe/all_reduce_ms/";
inline constexpr const char* kProbeAllGatherMs = "probe/all_gather_ms/";
inline constexpr const char* kProbeGradientBeforeEndMs = "probe/gradient_before_end_ms/";
inline constexpr const char* kWeight = "weight/";
inline constexpr const char* kAlgorithm = "algorithm/";

// All names and prefixes above.
inline constexpr std::array<std::string_view, 44> kNames{kTrainLoss,
                                                         kTrainStepMs,
                                                         kEvalLoss,
                                                         kEvalAccuracy,
                                                         kEvalReplicaAccuracy,
                                                         kConsensusDistance,
                                                         kSamplesPerS,
                                                         kTimedSteps,
                                                         kTimedSeconds,
                                                         kServedSteps,
                                                         kRankSamplesPerS,
                                                         kStalenessSteps,
                                                         kStalenessUpdates,
                                                         kComputedStepMs,
                                                         kHostDown,
                                                         kLinkDown,
                                                         kClockErrorS,
                                                         kDeviceClockErrorS,
                                                         kProcessCpu,
                                                         kProcessMemory,
                                                         kHostCpu,
                                                         kHostMemory,
                                                         kHostSent,
                                                         kHostReceived,
                                                         kProbeAllReduceMs,
                                                         kProbeAllGatherMs,
                                                         kProbeGradientBeforeEndMs,
                                                         kWeight,
                                                         kAlgorithm,
                                                         kEvalValidationLoss,
                                                         kEvalValidationAccuracy,
                                                         kEvalChosenAccuracy,
                                                         kEvalChosenLoss,
                                                         kTrainedSeconds,
                                                         kTargetReached,
                                                         kEvalPerplexity,
                                                         kEvalValidationPerplexity,
                                                         kSkippedFiles,
                                                         kStalenessLead,
                                                         kEvaluationSeconds,
                                                         kGraphDegree,
                                                         kGraphGap,
                                                         kCompressionRatio,
                                                         kCompressionError};

// Metrics with these prefixes describe the whole run, whichever rank records them.
inline constexpr std::array<std::string_view, 4> kWholeRunPrefixes{"eval/", "consensus/", "run/", "throughput/"};

constexpr bool isOfWholeRun(std::string_view name) {
    return std::any_of(kWholeRunPrefixes.begin(), kWholeRunPrefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

// Metrics with this prefix describe a host; the first rank on that host records them.
constexpr bool isOfHost(std::string_view name) { return name.starts_with("host/"); }

// Metrics with these prefixes are sampled by time, so that several samples may fall into one step.
inline constexpr std::array<std::string_view, 4> kOverTimePrefixes{"process/", "host/", "fault/", "clock/"};

constexpr bool isOverTime(std::string_view name) {
    return std::any_of(kOverTimePrefixes.begin(), kOverTimePrefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

}  // namespace dasgd::metrics
