#include "experiments/transport/files/run_file.h"

#include "core/base/text/zero_padded.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "experiments/base/text.h"

namespace dasgd::experiments {

namespace {

constexpr std::string_view kStep = "checkpoints/step-", kPartial = ".partial/";

// A number written without sign and leading zeros; nullopt for other text.
std::optional<std::int64_t> plainNumber(std::string_view digits) {
    const auto number = decimalOf(digits);
    return number && *number >= 0 && std::to_string(*number) == digits ? number : std::nullopt;
}

// "step", "file" of "checkpoints/step-<step>.partial/<file>".
std::optional<std::pair<std::int64_t, std::string_view>> partOf(std::string_view name) {
    const auto slash = name.find(kPartial);
    if (!name.starts_with(kStep) || slash == std::string_view::npos || slash < kStep.size()) return std::nullopt;
    const auto step = plainNumber(name.substr(kStep.size(), slash - kStep.size()));
    if (!step) return std::nullopt;
    return std::pair(*step, name.substr(slash + kPartial.size()));
}

}  // namespace

bool isSentByRank(std::string_view name, Rank rank) {
    if (const auto part = partOf(name)) return part->second == CheckpointFolder::rankFileName(rank);
    const std::string number = std::to_string(rank.value());
    return name == std::string("checkpoints/") + CheckpointFolder::kBestFile || name == CheckpointFolder::kModelFile ||
           name == "logs/rank-" + number + ".log" ||
           name == "artefacts/profile-rank-" + zeroPadded(static_cast<std::uint64_t>(rank.value()), 4) + ".json";
}

std::optional<std::int64_t> stepOfPart(std::string_view name) {
    const auto part = partOf(name);
    return part ? std::optional(part->first) : std::nullopt;
}

bool isInCheckpoint(std::string_view name) {
    if (name == CheckpointFolder::kStateFile || name == CheckpointFolder::kModelFile) return true;
    constexpr std::string_view kRank = "rank-", kEnd = ".safetensors";
    if (!name.starts_with(kRank) || !name.ends_with(kEnd) || name.size() <= kRank.size() + kEnd.size()) return false;
    std::string_view digits = name.substr(kRank.size(), name.size() - kRank.size() - kEnd.size());
    while (digits.size() > 1 && digits.front() == '0') digits.remove_prefix(1);
    const auto rank = plainNumber(digits);
    return rank && *rank < 1 << 20 && name == CheckpointFolder::rankFileName(Rank(static_cast<int>(*rank)));
}

}  // namespace dasgd::experiments
