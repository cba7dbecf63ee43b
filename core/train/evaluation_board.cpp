#include "core/train/evaluation_board.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/check.h"
#include "core/comm/group_maths.h"

namespace dasgd {

namespace {

// As the communicators of one process form it.
at::Tensor reduced(const std::vector<at::Tensor>& tensors, Reduce op) {
    at::Tensor result = at::empty_like(tensors.front());
    std::vector<std::optional<Contribution>> contributions;
    for (const at::Tensor& tensor : tensors) contributions.emplace_back(Contribution{tensor, result});
    carryOut(CollectiveKind::AllReduce, op, Rank{0}, contributions);
    return result;
}

}  // namespace

EvaluationBoard::EvaluationBoard(std::vector<std::unique_ptr<Model>> models, at::ScalarType type, const Samples& test,
                                 int ranks, Roles roles)
    : ranks_(ranks), roles_(std::move(roles)) {
    const int trainers = roles_.trainers();
    DASGD_CHECK(models.size() == 1 || models.size() == static_cast<std::size_t>(trainers));
    for (auto& model : models) {
        FlatParams params(model->module(), type);
        judges_.push_back({std::move(model), std::move(params)});
    }
    for (int trainer = 0; trainer < trainers; ++trainer) shares_.push_back(shareOf(test, trainer, trainers));
}

Result<std::unique_ptr<EvaluationBoard>> EvaluationBoard::create(const Experiment& experiment,
                                                                 const TrainingData& data) {
    const int ranks = static_cast<int>(experiment.cluster.workers);
    Roles roles = experiment.roles();
    // A model without data is the rank's own objective; others differ in weights and buffers alone.
    const bool oneForAll = !data.shards.empty();
    std::vector<std::unique_ptr<Model>> models;
    for (int rank = 0; rank < ranks && !(oneForAll && !models.empty()); ++rank) {
        if (!roles.trains(Rank{rank})) continue;
        DASGD_ASSIGN(auto model, buildModel(experiment, data, Rank{rank}));
        models.push_back(std::move(model));
    }
    return std::make_unique<EvaluationBoard>(std::move(models), experiment.scalarType(), data.splits.test, ranks,
                                             std::move(roles));
}

const Samples& EvaluationBoard::shareOfRank(int rank) const {
    return shares_[static_cast<std::size_t>(roles_.trainerIndex(Rank{rank}))];
}

Model& EvaluationBoard::judgeOf(int rank) {
    if (judges_.size() == 1) return *judges_[0].model;
    return *judges_[static_cast<std::size_t>(roles_.trainerIndex(Rank{rank}))].model;
}

void EvaluationBoard::deposit(Rank rank, std::int64_t step, Ns now, Model& model, FlatParams& params) {
    const at::NoGradGuard guard;
    Open& open = open_[step];
    open.replicas.resize(static_cast<std::size_t>(ranks_));
    open.replicas[static_cast<std::size_t>(rank.value())] = {params.weights().clone(), copyOfBuffers(params),
                                                             evaluateOn(model, shareOfRank(rank.value()))};
    open.last = std::max(open.last, now);
    ++open.arrived;
    evaluateIfComplete(step);
}

void EvaluationBoard::publishTo(std::int64_t step, Publish publish) {
    open_[step].publish = std::move(publish);
    evaluateIfComplete(step);
}

void EvaluationBoard::evaluateIfComplete(std::int64_t step) {
    Open& open = open_[step];
    if (!open.publish || open.arrived < roles_.trainers()) return;
    const Open complete = std::move(open);
    open_.erase(step);
    complete.publish(evaluate(complete.replicas), complete.last);
}

// As averageModel() forms it: a rank that serves adds zeros.
at::Tensor EvaluationBoard::meanOf(const std::vector<at::Tensor>& tensors) const {
    if (roles_.everyoneTrains()) return reduced(tensors, Reduce::Mean);
    return reduced(tensors, Reduce::Sum).div_(roles_.trainers());
}

EvaluationReport EvaluationBoard::evaluate(const std::vector<Replica>& replicas) {
    const at::NoGradGuard guard;
    const Replica& some = replicas[static_cast<std::size_t>(roles_.firstTrainer().value())];
    std::vector<at::Tensor> weights, buffers, summands;
    for (const Replica& replica : replicas) {
        weights.push_back(replica.weights.defined() ? replica.weights : at::zeros_like(some.weights));
        if (!some.buffers.defined()) continue;
        buffers.push_back(replica.buffers.defined() ? replica.buffers : at::zeros_like(some.buffers));
    }
    const at::Tensor mean = meanOf(weights);
    const at::Tensor meanBuffers = buffers.empty() ? at::Tensor() : meanOf(buffers);
    for (Judge& judge : judges_) {
        judge.params.weights().copy_(mean);
        if (meanBuffers.defined()) setBuffers(judge.params, meanBuffers);
    }
    for (int rank = 0; rank < ranks_; ++rank) {
        const Replica& replica = replicas[static_cast<std::size_t>(rank)];
        const bool judges = roles_.trains(Rank{rank});
        const Evaluation ofMean = judges ? evaluateOn(judgeOf(rank), shareOfRank(rank)) : Evaluation{};
        summands.push_back(summandsOf(ofMean, replica.evaluation, judges ? squaredDistance(replica.weights, mean) : 0));
    }
    const bool classifies = shares_[0].targets.defined();
    return reportOf(reduced(summands, Reduce::Sum), roles_.trainers(), classifies);
}

}  // namespace dasgd
