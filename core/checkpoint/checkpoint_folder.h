// The checkpoints of one run: which exist, which are whole, and which are removed. Several ranks, of one process or
// many, write into one folder at a time; readers may come at any instant.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/ids.h"
#include "core/base/result.h"

namespace dasgd {

// One file of a checkpoint as it was written.
struct CheckpointFile {
    std::int64_t bytes = 0;
    std::string sha256;  // "" in checkpoints of format 1, which have no digests
};

// The contents of state.json.
struct CheckpointState {
    std::string runId;
    std::int64_t step = 0;
    int ranks = 0;
    std::string configHash;         // SHA-256 of the run's resolved experiment.toml
    Ns wall = 0;                    // the run's own time at its last rank
    std::uint32_t collectives = 0;  // begun by then, at the rank that was ahead
    std::string savedAt;            // ISO 8601, UTC
    std::map<std::string, CheckpointFile> files;
    // False for checkpoints of format 1: their files can be checked by size alone.
    [[nodiscard]] bool hasDigests() const;
};

struct Checkpoint {
    std::filesystem::path folder;
    CheckpointState state;
    [[nodiscard]] std::filesystem::path rankFile(Rank rank) const;
    [[nodiscard]] std::filesystem::path modelFile() const;
    // Reads the whole file `name`. Errors: it is missing, or is not what was written; where it is a file of another
    // rank, step or run, the error says of which.
    [[nodiscard]] Status checkFile(const std::string& name) const;
};

// Errors name the file: it is missing, damaged, of a newer version.
[[nodiscard]] Result<CheckpointState> readCheckpointState(const std::filesystem::path& file);

class CheckpointFolder {
public:
    // `folder` is made with the first checkpoint.
    explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Steps of the whole checkpoints, ascending.
    [[nodiscard]] std::vector<std::int64_t> steps() const;
    // The checkpoint of a step, checked by its state.json and the sizes of its files; the reader of a file checks its
    // bytes (Checkpoint::checkFile). Errors: there is no checkpoint of that step; it is damaged, with the reason.
    [[nodiscard]] Result<Checkpoint> at(std::int64_t step) const;
    // Like at(), with every byte of every file checked.
    [[nodiscard]] Result<Checkpoint> checkedAt(std::int64_t step) const;
    // The newest checkpoint of at most step `most` of which every byte is as it was written, and the faults of newer
    // ones. Errors: there is none.
    struct Latest {
        Checkpoint checkpoint;
        std::vector<std::string> passedOver;
    };
    [[nodiscard]] Result<Latest> latest(std::optional<std::int64_t> most = {}) const;

    // Writing, for one step: each rank writes its file at the path that begin() gives, then asks whether it has to
    // complete the checkpoint: true for exactly one rank, once all `ranks` files are there. That rank writes the model
    // beside them and calls complete(), which keeps the newest `keep` checkpoints and removes earlier ones that never
    // became whole. Errors name the file.
    [[nodiscard]] Result<std::filesystem::path> begin(std::int64_t step) const;
    [[nodiscard]] Result<bool> claim(std::int64_t step, int ranks) const;
    // Errors: the checkpoint is lost. Otherwise it is whole, and the answer names what went wrong beside it: a folder
    // that could not be synced, `latest` not moved, an old checkpoint not removed; "" where nothing did.
    [[nodiscard]] Result<std::string> complete(CheckpointState state, int keep) const;
    // After an error of `rank` with `step`: removes its part, and earlier parts that lack the rank's file, which
    // nobody can complete any more. They would fill the disk where each checkpoint fails.
    void giveUp(std::int64_t step, Rank rank) const;
    // Removes files that no run will complete any more. For a run that has ended.
    void sweep() const;

    static std::string rankFileName(Rank rank);
    static constexpr const char* kBestFile = "best.safetensors";  // beside the checkpoints; its step in the metadata
    static constexpr const char* kModelFile = "model.safetensors";
    static constexpr const char* kStateFile = "state.json";
    static constexpr const char* kLatest = "latest";

private:
    [[nodiscard]] std::filesystem::path whole(std::int64_t step) const;
    [[nodiscard]] std::filesystem::path partial(std::int64_t step) const;
    [[nodiscard]] Status removePartialBefore(std::int64_t step) const;
    [[nodiscard]] Status pointLatestTo(std::int64_t step) const;

    std::filesystem::path folder_;
};

}  // namespace dasgd
