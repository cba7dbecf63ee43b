// Lists, checks, writes and removes the checkpoints of one run. The ranks of the run, as threads of one process or as
// processes, write their files of a checkpoint at the same time. Readers may list and open checkpoints meanwhile: a
// checkpoint gets its name only when all of its files are written.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
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
    Ns wall = 0;                    // latest instant of the run's clock at which a rank saved
    std::uint32_t collectives = 0;  // largest number of collectives that a rank had begun; 0 in old checkpoints
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
    // Compares the SHA-256 of the file `name` with the one in state.json. Errors: the file is missing, or its digest
    // differs; the error then gives the rank, step and run that the file's own metadata name. A checkpoint of format 1
    // has no digests: nothing is read then, and the answer is success.
    [[nodiscard]] Status checkFile(const std::string& name) const;
};

// Errors: `file`, a file or folder of the run `run`, is of another run than `expected`.
[[nodiscard]] Status checkIsOfRun(const std::filesystem::path& file, const std::string& run,
                                  const std::string& expected);

// Reads state.json. Errors name the file, and say that it is missing, damaged, or written by a newer version of dasgd.
[[nodiscard]] Result<CheckpointState> readCheckpointState(const std::filesystem::path& file);

class CheckpointFolder {
public:
    // `folder` need not exist; begin() makes it, in a folder that exists.
    explicit CheckpointFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

    // Steps of the checkpoints that were completed, ascending. Files may have been damaged since.
    [[nodiscard]] std::vector<std::int64_t> steps() const;
    // The checkpoint of a step, checked by its state.json and the sizes of its files; the reader of a file checks its
    // bytes (Checkpoint::checkFile). Errors: there is no checkpoint of that step; it is damaged, with the reason.
    [[nodiscard]] Result<Checkpoint> at(std::int64_t step) const;
    // A condition of the caller, such as the run that a checkpoint has to be of. Its error says what is wrong.
    using Condition = std::function<Status(const Checkpoint&)>;
    // Like at(), with `condition`, where there is one, and the digest of every file checked; of a checkpoint of format
    // 1, which has no digests, the files are not read.
    [[nodiscard]] Result<Checkpoint> checkedAt(std::int64_t step, const Condition& condition = {}) const;
    // The newest checkpoint, of at most step `most` where that is given, that passes checkedAt(). Errors: no checkpoint
    // passes.
    struct Latest {
        Checkpoint checkpoint;
        std::vector<std::string> passedOver;  // errors of the newer checkpoints, newest first
    };
    [[nodiscard]] Result<Latest> latest(std::optional<std::int64_t> most = {}, const Condition& condition = {}) const;

    // The three functions that write the checkpoint of a step, in the order in which a rank calls them. Errors name the
    // file.
    //
    // Makes the partial folder of the step and returns its path. Each rank then writes its file there. Error: the
    // folder around the checkpoints, which is the run's, is not there; a run that was removed is not to come back.
    [[nodiscard]] Result<std::filesystem::path> begin(std::int64_t step) const;
    // Called by a rank that has written its file. True for exactly one rank, once the files of all `ranks` ranks are
    // there: that rank adds the model's file and calls complete().
    [[nodiscard]] Result<bool> claim(std::int64_t step, int ranks) const;
    // Writes state.json with the sizes and digests of the files in the partial folder, gives the folder its name and
    // moves `latest`. Keeps this checkpoint and the `keep` of the highest steps, so keep + 1 where this one is not
    // among those; removes the others, and the partial folders of earlier steps. Errors: the checkpoint is lost.
    // Otherwise it is complete, and the answer describes what failed after that (a folder not synced, `latest` not
    // moved, an old checkpoint not removed), "" where nothing did.
    [[nodiscard]] Result<std::string> complete(CheckpointState state, int keep) const;
    // Called when `rank` failed to save `step`: removes the whole partial folder of that step, with the files of all
    // ranks, and those of earlier steps that have no file of `rank`, because nobody can complete them any more and they
    // would fill the disk where every checkpoint fails.
    void giveUp(std::int64_t step, Rank rank) const;
    // Removes the folders of checkpoints that were being made or being removed, and models that were being written.
    // Precondition: the run has ended.
    void sweep() const;

    static std::string rankFileName(Rank rank);
    // The best model so far, beside the folders of the steps; its metadata give the step.
    static constexpr const char* kBestFile = "best.safetensors";
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
