// Names of a rank's activities, for errors that do not name the activity themselves.
#pragma once

namespace dasgd::activity {

inline constexpr const char* kWarmUp = "a first pass, before training";
inline constexpr const char* kLoading = "loading the batch";
inline constexpr const char* kTables = "the lookups in tables of other ranks";
inline constexpr const char* kForward = "the forward pass";
inline constexpr const char* kBackward = "the backward pass";
inline constexpr const char* kUpdate = "the update";
inline constexpr const char* kAlgorithm = "the algorithm's part";
inline constexpr const char* kEvaluation = "the evaluation";
inline constexpr const char* kCheckpoint = "the checkpoint";

}  // namespace dasgd::activity
