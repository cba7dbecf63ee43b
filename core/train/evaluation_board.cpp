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
at::Tensor reduced(std::vector<at::Tensor> tensors, Reduce op) { return reducePairwise(std::move(tensors), op); }

}  // namespace

EvaluationBoard::EvaluationBoard(std::vector<std::unique_ptr<Model>> models, at::ScalarType type, const Samples& test,
                                 int ranks) {
    DASGD_CHECK(models.size() == 1 || models.size() == static_cast<std::size_t>(ranks));
    for (auto& model : models) {
        FlatParams params(model->module(), type);
        judges_.push_back({std::move(model), std::move(params)});
    }
    for (int rank = 0; rank < ranks; ++rank) shares_.push_back(shareOf(test, Rank{rank}, ranks));
}

Result<std::unique_ptr<EvaluationBoard>> EvaluationBoard::create(const Experiment& experiment,
                                                                 const TrainingData& data) {
    const int ranks = static_cast<int>(experiment.cluster.workers);
    // A model without data is the rank's own objective; others differ in weights and buffers alone.
    const int needed = data.splits.train.count() == 0 ? ranks : 1;
    std::vector<std::unique_ptr<Model>> models;
    for (int rank = 0; rank < needed; ++rank) {
        DASGD_ASSIGN(auto model, buildModel(experiment, data, Rank{rank}));
        models.push_back(std::move(model));
    }
    return std::make_unique<EvaluationBoard>(std::move(models), experiment.scalarType(), data.splits.test, ranks);
}

void EvaluationBoard::deposit(Rank rank, std::int64_t step, Ns now, Model& model, FlatParams& params, Publish publish) {
    const at::NoGradGuard guard;
    const auto own = static_cast<std::size_t>(rank.value());
    Open& open = open_[step];
    open.replicas.resize(shares_.size());
    open.replicas[own] = {params.weights().clone(), copyOfBuffers(params), evaluateOn(model, shares_[own])};
    if (publish) open.publish = std::move(publish);
    open.last = std::max(open.last, now);
    if (++open.arrived < static_cast<int>(shares_.size())) return;
    const Open complete = std::move(open);
    open_.erase(step);
    DASGD_CHECK(complete.publish);
    complete.publish(evaluate(complete.replicas), complete.last);
}

EvaluationReport EvaluationBoard::evaluate(const std::vector<Replica>& replicas) {
    std::vector<at::Tensor> weights, buffers, summands;
    for (const Replica& replica : replicas) {
        weights.push_back(replica.weights);
        if (replica.buffers.defined()) buffers.push_back(replica.buffers);
    }
    const at::Tensor mean = reduced(weights, Reduce::Mean);
    const at::Tensor meanBuffers = buffers.empty() ? at::Tensor() : reduced(buffers, Reduce::Mean);
    for (Judge& judge : judges_) {
        judge.params.weights().copy_(mean);
        if (meanBuffers.defined()) setBuffers(judge.params, meanBuffers);
    }
    for (std::size_t rank = 0; rank < replicas.size(); ++rank) {
        const Evaluation ofMean = evaluateOn(*judgeOf(rank).model, shares_[rank]);
        summands.push_back(
            summandsOf(ofMean, replicas[rank].evaluation, squaredDistance(replicas[rank].weights, mean)));
    }
    return reportOf(reduced(summands, Reduce::Sum), static_cast<int>(replicas.size()), shares_[0].targets.defined());
}

}  // namespace dasgd
