// The files of a run that its ranks on other hosts have in common with rank 0's: by their names in the run's folder,
// of which only these are any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/ids.h"

namespace dasgd::experiments {

// True for the files that a rank may send: its part of a checkpoint, the best and the final model, its log, its trace.
[[nodiscard]] bool isSentByRank(std::string_view name, Rank rank);
// "checkpoints/step-20.partial/rank-0001.safetensors" → 20; nullopt: no part of a checkpoint.
[[nodiscard]] std::optional<std::int64_t> stepOfPart(std::string_view name);
// True for the files of a checkpoint that a resuming run may fetch: its state, its model and the parts of its ranks.
[[nodiscard]] bool isInCheckpoint(std::string_view name);

}  // namespace dasgd::experiments
