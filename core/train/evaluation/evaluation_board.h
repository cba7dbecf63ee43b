// Evaluations on a virtual cluster. A rank leaves a copy of its weights and continues; the last rank to reach the step
// evaluates the mean of all copies, or the weights that the algorithm names. No simulated time passes and no rank
// waits, because waiting would let ranks meet that the algorithm keeps apart: times with and without evaluations are
// the same. Values are those of Evaluator on the backend `threads`, to the last bit, unless ranks are steps apart and
// the weights that a parameter server names include later gradients.
//
// Holds the copies of every evaluation that some rank has not reached: for ranks that never wait for each other, as
// many as the fastest is ahead. One board a run, shared by its ranks, which are actors of one thread; outlives them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "core/base/control.h"
#include "core/base/result.h"
#include "core/experiment/experiment.h"
#include "core/step/archive.h"
#include "core/train/data/training_data.h"
#include "core/train/evaluation/evaluator.h"
#include "core/train/evaluation/model_selection.h"

namespace dasgd {

class EvaluationBoard {
public:
    // Tells the result, and the instant at which the last rank reached the step. May be called after the rank that gave
    // it has ended.
    using Publish = std::function<void(const EvaluationReport& report, Ns at)>;

    // Called for each evaluation that is the best so far on the validation set, with the network that was evaluated.
    using KeepBest = std::function<void(std::int64_t step, Archive network)>;
    void keepBest(KeepBest keep) { keepBest_ = std::move(keep); }

    // ServersWeights: weights that those who serve name, while ranks that train make unequal numbers of steps: these
    // leave nothing, and no replica is judged.
    enum class Of : std::uint8_t { Mean, NamedWeights, ServersWeights };

    // `models` judge the evaluated weights: one for all, or one for each rank that trains where each has an objective
    // of its own. The board alone uses them. `layout`: layout of the ranks' parameters.
    EvaluationBoard(std::vector<std::unique_ptr<Model>> models, at::ScalarType type, const EvaluationSets& sets,
                    int ranks, Roles roles, ModelSelection selection = {}, Of what = Of::Mean,
                    const FlatLayout& layout = {});

    // For an experiment that computes; builds the models. Errors: a model that cannot be built.
    [[nodiscard]] static Result<std::unique_ptr<EvaluationBoard>> create(const Experiment& experiment,
                                                                         const TrainingData& data,
                                                                         const FlatLayout& layout);

    // `rank` has reached the evaluation after `step` steps, at `now`, with these weights and buffers, which are copied;
    // those of a rank that serves do not count. Every rank that trains reaches the same steps, in order; where named
    // weights are evaluated the others do too. `named`: the rank's part of those, which is copied, or undefined
    // (NamesWeights), and `namedBuffers` that of the buffers. Exactly one rank gives a `publish` that is not null.
    void deposit(Rank rank, std::int64_t step, Ns now, Model& model, FlatParams& params, Publish publish,
                 const at::Tensor& named = {}, const at::Tensor& namedBuffers = {});

    // For ServersWeights with one server: all of the weights, which the board keeps until it has judged them. Judges
    // them and calls `publish` before it returns.
    void depositNamed(std::int64_t step, Ns now, at::Tensor named, Publish publish);

    // False once an evaluation has asked for the run's end, from the furthest step on that any rank had been allowed to
    // make by then. Asked by each rank before every step.
    [[nodiscard]] bool mayContinue(std::int64_t completed) { return end_.mayContinue(over_, completed); }

    // Decisions of the evaluations so far.
    [[nodiscard]] ModelSelection& selection() { return selection_; }

private:
    struct Replica {
        at::Tensor weights;
        at::Tensor buffers;
        Evaluation evaluation;  // on the rank's share
    };
    struct Open {
        std::vector<Replica> replicas;  // one for each rank; undefined tensors for those that serve
        // One part for each rank; undefined for those that name nothing.
        std::vector<at::Tensor> named, namedBuffers;
        at::Tensor counters;  // the first trainer's, or where buffers are named the largest of all ranks
        int arrived = 0;
        Ns last = 0;
        Publish publish;
    };
    struct Judge {
        std::unique_ptr<Model> model;
        FlatParams params;
    };
    [[nodiscard]] int expected() const;
    // True where the weights of each rank that trains are judged too.
    [[nodiscard]] bool judgesReplicas() const { return what_ != Of::ServersWeights && roles_.wholeReplicas(); }
    void judge(std::int64_t step, const Open& complete);
    [[nodiscard]] EvaluationReport evaluate(const Open& complete);
    [[nodiscard]] at::Tensor meanWeights(const std::vector<Replica>& replicas) const;
    [[nodiscard]] at::Tensor meanBuffers(const std::vector<Replica>& replicas) const;
    [[nodiscard]] at::Tensor meanOf(std::vector<at::Tensor> tensors) const;
    [[nodiscard]] const EvaluationShares& sharesOfTrainer(Rank rank) const;
    [[nodiscard]] Judge& judgeOf(Rank rank);

    int ranks_;
    Roles roles_;
    Of what_;
    std::optional<Task> task_;  // task of the test set
    std::vector<Judge> judges_;
    std::vector<EvaluationShares> shares_;  // one for each rank that trains
    ModelSelection selection_;
    KeepBest keepBest_;
    bool over_ = false;  // an evaluation has asked for the run's end
    FurthestStop end_;
    std::map<std::int64_t, Open> open_;  // by step
};

}  // namespace dasgd
