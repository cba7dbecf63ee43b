// Writes the states of one rank beside its training. The rank that is the last to write its file of a step completes
// the checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/step/archive.h"
#include "core/step/roles.h"

namespace dasgd {

// Place of a run's checkpoints: the same for all of its ranks.
struct CheckpointPlace {
    std::filesystem::path folder;  // folder of the run's checkpoints
    std::string runId;
    std::string configHash;  // SHA-256 of its resolved configuration
    // Set for a rank whose checkpoints become whole in the workspace of another host: takes a file of the run's folder
    // there and removes it here. Any thread.
    std::function<Status(const std::filesystem::path& file)> deliver = {};
};

// Settings for completing the checkpoints of a run.
struct CheckpointCompletion {
    CheckpointPlace place;
    Roles roles;
    int ranks = 0;
    int keep = 0;  // number of checkpoints that stay
};
// After a rank's file of `step` has come into its place: completes the checkpoint where it was the last, making the
// model from all ranks' files, moving `latest`, and removing what is too old. Any thread. The answer as that of
// CheckpointFolder::complete().
[[nodiscard]] Result<std::string> completeIfLast(const CheckpointCompletion& run, std::int64_t step);

class CheckpointWriter {
public:
    enum class Thread : std::uint8_t { Own, Callers };  // simulated ranks share one, and take no time for it

    CheckpointWriter(CheckpointCompletion run, Rank rank, Thread thread);
    // Waits for the thread.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    // Where every core trains, training has priority over the thread that writes; AtOnce: nothing trains any more.
    enum class Pace : std::uint8_t { BehindTraining, AtOnce };

    // `state`: of this rank after `step`. Returns once the one before is written. Errors: that one is lost, which does
    // no harm to those before it. Else what went wrong beside it, or "".
    Result<std::string> write(std::int64_t step, Archive state, Pace pace = Pace::BehindTraining);
    // Waits. The same of the last one.
    Result<std::string> finish();

private:
    [[nodiscard]] Result<std::string> store(std::int64_t step, const Archive& state) const;
    [[nodiscard]] Result<std::string> tryToStore(std::int64_t step, const Archive& state) const;

    CheckpointCompletion run_;
    Rank rank_;
    Thread thread_;
    std::future<Result<std::string>> pending_;
};

// The archive of `rank` in a checkpoint, and the model; of the former only the tensors whose names begin with one of
// `prefixes`, where any are given. Every byte of the file is checked. Errors name it: missing, damaged, of another
// rank, step or run.
[[nodiscard]] Result<Archive> readRank(const Checkpoint& checkpoint, Rank rank,
                                       const std::vector<std::string>& prefixes = {});
[[nodiscard]] Result<Archive> readModel(const Checkpoint& checkpoint);

}  // namespace dasgd
