// Writes the states of one rank beside its training. Whichever rank is the last to write its file of a step completes
// the checkpoint: makes the model from all ranks' files, moves `latest`, and removes what is too old.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/step/archive.h"
#include "core/step/roles.h"

namespace dasgd {

// Of a run: the same for all of its ranks.
struct CheckpointPlace {
    std::filesystem::path folder;  // that of the run's checkpoints
    std::string runId;
    std::string configHash;  // SHA-256 of its resolved configuration
};

class CheckpointWriter {
public:
    enum class Thread : std::uint8_t { Own, Callers };  // simulated ranks share one, and take no time for it

    CheckpointWriter(CheckpointPlace place, Roles roles, int ranks, Rank rank, int keep, Thread thread);
    // Waits.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    // `state`: of this rank after `step`. Returns once the one before is written. Errors: of that one, which does no
    // harm to those before it.
    Status write(std::int64_t step, Archive state);
    // Waits. Errors: of the last one.
    Status finish();

private:
    [[nodiscard]] Status store(std::int64_t step, const Archive& state) const;
    [[nodiscard]] Status complete(std::int64_t step) const;

    CheckpointPlace place_;
    CheckpointFolder folder_;
    Roles roles_;
    int ranks_;
    Rank rank_;
    int keep_;
    Thread thread_;
    std::future<Status> pending_;
};

// The archive of `rank` in a checkpoint. Errors: of its file.
[[nodiscard]] Result<Archive> readRank(const Checkpoint& checkpoint, Rank rank);

}  // namespace dasgd
