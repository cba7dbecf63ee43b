// A rank's part in the checkpoints of its run: when it saves, what, and how it goes on from one.
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

// Of a run, the same for all of its ranks in a process.
struct CheckpointEnvironment {
    CheckpointPlace place;
    CheckpointDecisions* decisions = nullptr;  // of ranks of one thread
    std::optional<Checkpoint> from;            // that the run goes on from
    std::function<void()> restored;            // called once a rank needs the files of `from` no more; may be null
    std::shared_ptr<CommonStateOnce> common = std::make_shared<CommonStateOnce>();
};

// How the checkpoints of the run become whole in `place`.
[[nodiscard]] CheckpointCompletion completionOf(const Experiment& experiment, CheckpointPlace place);

// How many steps of the run that `plan` is of are complete as it begins: of a checkpoint of more or fewer ranks, how
// many of its own are as far in the data. `checkpoints` may be null.
[[nodiscard]] std::int64_t firstStepOf(const Experiment& experiment, const CheckpointEnvironment* checkpoints,
                                       const Plan& plan, std::int64_t trainSamples);

// Owner: the rank's training thread.
class RankCheckpoints {
public:
    // All references outlive this. `apart`: ranks never wait for each other (Algorithm::runsApart). `firstStep`: how
    // many are complete as the run begins.
    RankCheckpoints(const Experiment& experiment, const CheckpointEnvironment& environment, RankParts parts,
                    EventSink& sink, bool apart, std::int64_t firstStep);

    // In place of the first weights and of Algorithm::start(). Throws std::runtime_error: the checkpoint cannot be
    // read, is of another run, or of another number of ranks than the algorithm can go on with.
    [[nodiscard]] RankCounters restore();
    // After restore(), with the clock going: starts the algorithm where the checkpoint is of another number of ranks.
    // Throws CommError.
    void startBehind();
    // After each step: saves if it is time, by `counters` of that moment. Throws CommError.
    void afterStep(std::int64_t step, const std::function<RankCounters()>& counters);
    // After the last step that is made: `counters` are those of now. Throws CommError.
    void save(const RankCounters& counters, CheckpointWriter::Pace pace = CheckpointWriter::Pace::BehindTraining);
    // `network` is the best so far, of an evaluation after `step` steps: written beside the training. Of one rank.
    void keepBest(std::int64_t step, Archive network);
    // Waits until all is written, after the last of `step` steps. What could not be of all that was saved, in words; ""
    // where nothing.
    [[nodiscard]] std::string finish(std::int64_t step);
    // The model with its present weights, as the run's result. What was in the way, or "".
    [[nodiscard]] std::string writeModel();
    // Sent by ranks that met to agree: no part of what the algorithm sent.
    [[nodiscard]] std::int64_t bytesSent() const { return bytes_; }

private:
    [[nodiscard]] bool agree(std::int64_t step);
    [[nodiscard]] bool isOfOtherRanks() const;
    [[nodiscard]] RankCounters restoreOwn();
    [[nodiscard]] RankCounters restoreOfOthers();
    void takeOverBest() const;
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
    bool apart_;
    std::int64_t firstStep_;
    std::int64_t bytes_ = 0;
    std::int64_t lost_ = 0;
    std::string whyLost_;           // of the last
    std::string trouble_;           // of the last checkpoint that was whole and had any
    std::set<std::string> causes_;  // that were said
    std::future<Status> best_;
};

// Writes the best model at once, or logs why it could not.
[[nodiscard]] std::function<void(std::int64_t step, Archive network)> writeBestInto(CheckpointPlace place);

}  // namespace dasgd
