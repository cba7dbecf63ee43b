#include "core/train/evaluation/evaluation_board.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/algorithms/extensions.h"
#include "core/base/check.h"
#include "core/comm/group_maths.h"
#include "core/train/checkpoint/saved_model.h"

namespace dasgd {

namespace {

// Reduces in the same order as the communicators of one process do.
at::Tensor reduced(std::vector<at::Tensor> tensors, Reduce op) { return reducePairwise(std::move(tensors), op); }

// Sums in the same order as takeNamedModel(): that of the ranks, whichever came first.
at::Tensor sumOfParts(std::vector<at::Tensor> parts) {
    const auto named = std::ranges::find_if(parts, [](const at::Tensor& part) { return part.defined(); });
    DASGD_CHECK(named != parts.end());
    const at::Tensor nothing = at::zeros_like(*named);
    for (at::Tensor& part : parts) part = part.defined() ? part : nothing;
    return reduced(std::move(parts), Reduce::Sum);
}

}  // namespace

EvaluationBoard::EvaluationBoard(std::vector<std::unique_ptr<Model>> models, at::ScalarType type,
                                 const EvaluationSets& sets, int ranks, Roles roles, ModelSelection selection, Of what,
                                 const FlatLayout& layout)
    : ranks_(ranks),
      roles_(std::move(roles)),
      what_(what),
      task_(taskOf(sets.test.samples)),
      selection_(std::move(selection)) {
    const int trainers = roles_.trainers();
    DASGD_CHECK(models.size() == 1 || models.size() == static_cast<std::size_t>(trainers));
    for (auto& model : models) {
        FlatParams params(model->module(), type, layout);
        judges_.push_back({std::move(model), std::move(params)});
    }
    for (int trainer = 0; trainer < trainers; ++trainer) {
        shares_.push_back(sharesOf(sets, Rank{trainer}, trainers, type));
    }
}

Result<std::unique_ptr<EvaluationBoard>> EvaluationBoard::create(const Experiment& experiment, const TrainingData& data,
                                                                 const FlatLayout& layout) {
    const int ranks = static_cast<int>(experiment.cluster.workers);
    Roles roles = experiment.roles();
    // A model without data is the rank's own objective; other models differ in weights and buffers alone.
    const int needed = data.splits.train.count() == 0 ? roles.trainers() : 1;
    std::vector<std::unique_ptr<Model>> models;
    for (int rank = 0; std::ssize(models) < needed; ++rank) {
        if (!roles.trains(Rank{rank})) continue;
        DASGD_ASSIGN(auto model, buildModel(experiment, data, Rank{rank}));
        models.push_back(std::move(model));
    }
    const auto algorithm = experiment.makeAlgorithm();
    const bool names = weightsNamer(*algorithm) != nullptr;
    const Of what = experiment.sharesWork() ? Of::ServersWeights : names ? Of::NamedWeights : Of::Mean;
    return std::make_unique<EvaluationBoard>(std::move(models), experiment.scalarType(),
                                             EvaluationSets(data.splits.test, data.validation), ranks, std::move(roles),
                                             ModelSelection(experiment.train), what, layout);
}

const EvaluationShares& EvaluationBoard::sharesOfTrainer(Rank rank) const {
    return shares_[static_cast<std::size_t>(roles_.trainerIndex(rank))];
}

EvaluationBoard::Judge& EvaluationBoard::judgeOf(Rank rank) {
    return judges_.size() == 1 ? judges_[0] : judges_[static_cast<std::size_t>(roles_.trainerIndex(rank))];
}

// Forms the mean as averageModel() does: a rank that serves adds zeros.
at::Tensor EvaluationBoard::meanOf(std::vector<at::Tensor> tensors) const {
    if (roles_.everyoneTrains()) return reduced(std::move(tensors), Reduce::Mean);
    return reduced(std::move(tensors), Reduce::Sum).div_(roles_.trainers());
}

void EvaluationBoard::deposit(Rank rank, std::int64_t step, Ns now, Model& model, FlatParams& params, Publish publish,
                              const at::Tensor& named, const at::Tensor& namedBuffers) {
    const at::NoGradGuard guard;
    Open& open = open_[step];
    open.replicas.resize(static_cast<std::size_t>(ranks_));
    open.named.resize(static_cast<std::size_t>(ranks_));
    open.namedBuffers.resize(static_cast<std::size_t>(ranks_));
    if (roles_.trains(rank)) {
        open.replicas[static_cast<std::size_t>(rank.value())] = {
            params.weights().clone(), copyOfBuffers(params),
            judgesReplicas() ? evaluateOn(model, sharesOfTrainer(rank).test) : Evaluation{}};
    }
    if (named.defined()) open.named[static_cast<std::size_t>(rank.value())] = named.clone();
    if (namedBuffers.defined()) open.namedBuffers[static_cast<std::size_t>(rank.value())] = namedBuffers.clone();
    if (namedBuffers.defined() || rank == roles_.firstTrainer()) {
        const at::Tensor own = copyOfCounters(model.module());
        open.counters = open.counters.defined() ? at::maximum(open.counters, own) : own;
    }
    if (publish) open.publish = std::move(publish);
    open.last = std::max(open.last, now);
    if (++open.arrived < expected()) return;
    const Open complete = std::move(open);
    open_.erase(step);
    judge(step, complete);
}

void EvaluationBoard::depositNamed(std::int64_t step, Ns now, at::Tensor named, Publish publish) {
    const at::NoGradGuard guard;
    DASGD_CHECK(what_ == Of::ServersWeights && expected() == 1);
    Open open{.replicas = std::vector<Replica>(static_cast<std::size_t>(ranks_)),
              .named = {std::move(named)},
              .arrived = 1,
              .last = now,
              .publish = std::move(publish)};
    judge(step, open);
}

void EvaluationBoard::judge(std::int64_t step, const Open& complete) {
    DASGD_CHECK(complete.publish);
    EvaluationReport report = evaluate(complete);
    selection_.judge(report);
    if (keepBest_ && selection_.improved()) keepBest_(step, modelOf(judges_.front().model->module()));
    over_ = over_ || report.stop;
    complete.publish(report, complete.last);
}

// Ranks that leave something for an evaluation.
int EvaluationBoard::expected() const {
    if (what_ == Of::NamedWeights) return ranks_;
    return what_ == Of::Mean ? roles_.trainers() : ranks_ - roles_.trainers();
}

at::Tensor EvaluationBoard::meanWeights(const std::vector<Replica>& replicas) const {
    const Replica& ofTrainer = replicas[static_cast<std::size_t>(roles_.firstTrainer().value())];
    std::vector<at::Tensor> weights;
    for (const Replica& replica : replicas) {
        weights.push_back(replica.weights.defined() ? replica.weights : at::zeros_like(ofTrainer.weights));
    }
    return meanOf(std::move(weights));
}

at::Tensor EvaluationBoard::meanBuffers(const std::vector<Replica>& replicas) const {
    const Replica& ofTrainer = replicas[static_cast<std::size_t>(roles_.firstTrainer().value())];
    if (!ofTrainer.buffers.defined()) return {};
    std::vector<at::Tensor> buffers;
    for (const Replica& replica : replicas) {
        buffers.push_back(replica.buffers.defined() ? replica.buffers : at::zeros_like(ofTrainer.buffers));
    }
    return meanOf(std::move(buffers));
}

EvaluationReport EvaluationBoard::evaluate(const Open& complete) {
    const std::vector<Replica>& replicas = complete.replicas;
    const at::Tensor weights = what_ == Of::Mean ? meanWeights(replicas) : sumOfParts(complete.named);
    const bool hasReplicas = judgesReplicas();
    const bool namesBuffers = !complete.namedBuffers.empty() && complete.namedBuffers.front().defined();
    const at::Tensor buffers = namesBuffers ? sumOfParts(complete.namedBuffers) : meanBuffers(replicas);
    for (Judge& judge : judges_) {
        judge.params.weights().copy_(weights);
        if (buffers.defined()) setBuffers(judge.params, buffers);
        if (complete.counters.defined()) setCounters(judge.model->module(), complete.counters);
    }
    std::vector<at::Tensor> summands;
    for (int rank = 0; rank < ranks_; ++rank) {
        const Replica& replica = replicas[static_cast<std::size_t>(rank)];
        const bool judges = roles_.trains(Rank{rank});
        ShareEvaluation found{.replica = replica.evaluation};
        if (judges) {
            Model& judge = *judgeOf(Rank{rank}).model;
            found.mean = evaluateOn(judge, sharesOfTrainer(Rank{rank}).test);
            found.validation = evaluateValidation(judge, sharesOfTrainer(Rank{rank}));
        }
        const DeviceSum distance = judges && hasReplicas ? squaredDistance(replica.weights, weights) : DeviceSum();
        summands.push_back(summandsOf(found, distance));
    }
    EvaluationReport report = reportOf(reduced(std::move(summands), Reduce::Sum), roles_.trainers(), task_);
    if (!hasReplicas) report.replicaAccuracy = report.consensusDistance = EvaluationReport::kNone;
    return report;
}

}  // namespace dasgd
