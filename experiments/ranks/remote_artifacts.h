// The files of a rank that was started by hand: its part of checkpoints, the checkpoint from which it resumes, its log
// and the trace of its profiler. A rank on another host than rank 0's sends them to the workspace of rank 0, which has
// all files of a run.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "core/train/rank_checkpoints.h"
#include "experiments/ranks/meeting/assignment.h"
#include "experiments/transport/files/file_client.h"
#include "experiments/transport/files/file_intake.h"

namespace dasgd::experiments {

class RemoteArtifacts {
public:
    struct Options {
        const Experiment& experiment;
        int rank = 0;
        Assignment assignment;
        std::optional<RunSecret> secret;
        storage::WorkspacePaths paths;  // this rank's
        std::string configHash;         // SHA-256 of the resolved configuration
    };
    // Ranks of several workspaces that share no secret save nothing. Errors: of the disk.
    static Result<RemoteArtifacts> open(const Options& options);
    // Collective: returns once all ranks have what they go on from. `options` as for open(). Errors: the checkpoint
    // cannot be read or fetched, by whichever rank.
    Status takeUp(const Seat& seat, const Options& options);
    RemoteArtifacts(RemoteArtifacts&&) noexcept;
    ~RemoteArtifacts();

    // On rank 0: what takes in the files of ranks in other workspaces, and the name of the file in the run's folder by
    // which they recognise that; null, "": nothing, none.
    [[nodiscard]] FileIntake* intake() const { return intake_.get(); }
    [[nodiscard]] std::string mark() const { return mark_.filename(); }
    // Null: this run saves nothing.
    [[nodiscard]] const CheckpointEnvironment* environment() const { return saves_ ? &environment_ : nullptr; }
    // After the training: brings this rank's log, where its output goes to a file, and its profiler's trace to the
    // run's folder in rank 0's workspace. A file that could not be brought there is logged. After a failed run it is
    // tried only briefly, because rank 0 itself may be lost.
    void bringRecords(bool failed) const;
    // Number of bytes moved so far on rank 0; grows while files of other hosts arrive.
    [[nodiscard]] std::int64_t moved() const { return intake_ ? intake_->moved() : 0; }
    // After all ranks have said how they ended: nobody is served any more, and of checkpoints that no rank will
    // complete nothing stays.
    void end();

private:
    explicit RemoteArtifacts(const Options& options);
    Status startIntake(const Options& options);
    Status leaveMark();
    Status findCheckpoint(const Options& options);
    Status fetch(const Options& options);
    void linkLog() const;
    [[nodiscard]] std::string logName() const;

    storage::WorkspacePaths paths_;
    std::string runId_;
    Rank rank_{0};
    bool saves_ = true;
    CheckpointEnvironment environment_;
    std::shared_ptr<const FileClient> client_;  // for a rank in another workspace than rank 0's
    std::unique_ptr<FileIntake> intake_;        // for rank 0, where there are such ranks
    std::filesystem::path mark_;                // file of rank 0 by which other ranks recognise its workspace
    bool inRunsFolder_ = true;                  // this rank writes into rank 0's workspace
    std::filesystem::path fetched_;             // checkpoint that was fetched; removed once the training has loaded it
};

}  // namespace dasgd::experiments
