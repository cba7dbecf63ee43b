// A rank's part in the checkpoints of its run: when it saves, what, and how it resumes from one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "core/base/event.h"
#include "core/checkpoint/checkpoint_folder.h"
#include "core/experiment/experiment.h"
#include "core/train/checkpoint/checkpoint_times.h"
#include "core/train/checkpoint/checkpoint_writer.h"
#include "core/train/checkpoint/common_state.h"
#include "core/train/rank_state.h"

namespace dasgd {

// Settings of a run, the same for all of its ranks in a process.
struct CheckpointEnvironment {
    CheckpointPlace place;
    CheckpointDecisions* decisions = nullptr;  // for ranks of one thread
    std::optional<Checkpoint> from;            // checkpoint that the run is resumed from
    std::function<void()> restored;            // called when the rank no longer needs the files of `from`; may be null
    std::shared_ptr<CommonStateOnce> common = std::make_shared<CommonStateOnce>();
};

// Makes the checkpoints of the run complete in `place`.
[[nodiscard]] CheckpointCompletion completionOf(const Experiment& experiment, CheckpointPlace place);

// Number of complete steps as a run with `plan` begins; for a checkpoint of more or fewer ranks, the number of the
// run's own steps that is as far in the data. `checkpoints` may be null.
[[nodiscard]] std::int64_t firstStepOf(const Experiment& experiment, const CheckpointEnvironment* checkpoints,
                                       const Plan& plan, std::int64_t trainSamples);

// Owner: the rank's training thread.
class RankCheckpoints {
public:
    // All references outlive this. `unboundedSkew`: ranks never wait for each other (Algorithm::hasUnboundedSkew).
    // `firstStep`: number of complete steps as the run begins.
    RankCheckpoints(const Experiment& experiment, const CheckpointEnvironment& environment, RankParts parts,
                    EventSink& sink, bool unboundedSkew, std::int64_t firstStep);

    // Replaces the first weights and Algorithm::start(). Throws std::runtime_error: the checkpoint cannot be read, is
    // of another run, or of another number of ranks than the algorithm can resume with.
    [[nodiscard]] RankCounters restore();
    // Called after restore(), with the clock going: starts the algorithm where the checkpoint is of another number of
    // ranks. Throws CommError.
    void startResumed();
    // Answers what the rank has done so far.
    using Counters = std::function<RankCounters()>;
    // Called after each step: saves if it is time. Throws CommError.
    void afterStep(std::int64_t step, const Counters& counters);
    // Saves after the last step. Throws CommError.
    void save(const Counters& counters, CheckpointWriter::Pace pace = CheckpointWriter::Pace::BehindTraining);
    // Writes `network`, the best so far, of an evaluation after `step` steps, beside the training. For one rank only.
    void keepBest(std::int64_t step, Archive network);
    // Waits until everything is written, after the last of `step` steps. Returns, in words, what could not be saved; ""
    // where everything was.
    [[nodiscard]] std::string finish(std::int64_t step);
    // Writes the model with its present weights, those after `step` steps, as the run's result. Returns the reason of a
    // failure, else "".
    [[nodiscard]] std::string writeModel(std::int64_t step);
    // Bytes sent by ranks that met to agree: not part of what the algorithm sent.
    [[nodiscard]] std::int64_t bytesSent() const { return bytes_; }

private:
    [[nodiscard]] bool agree(std::int64_t step);
    [[nodiscard]] bool isOfOtherRanks() const;
    [[nodiscard]] RankCounters restoreOwn();
    [[nodiscard]] RankCounters restoreOfOthers();
    void takeOverBest();
    void takeOutcome(std::int64_t step, const Result<std::string>& written);
    // Logs it; false where it was said before, but for numbers in it.
    bool sayOnce(const std::string& text);

    const Experiment& experiment_;
    const CheckpointEnvironment& environment_;
    RankParts parts_;
    EventSink& sink_;
    CheckpointWriter writer_;
    CheckpointTimes times_;
    bool canBeSaved_;
    bool unboundedSkew_;
    std::int64_t firstStep_;
    std::int64_t bytes_ = 0;
    std::int64_t lost_ = 0;
    std::string whyLost_;           // reason for which the last lost checkpoint was lost
    std::string trouble_;           // trouble of the last complete checkpoint that had any
    std::set<std::string> causes_;  // causes that were reported already
    std::future<Status> best_;
};

// Writes the best model at once, or logs why it could not.
[[nodiscard]] std::function<void(std::int64_t step, Archive network)> writeBestInto(CheckpointPlace place);

}  // namespace dasgd
