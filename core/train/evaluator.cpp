#include "core/train/evaluator.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/metric_names.h"

namespace dasgd {

namespace {

constexpr std::int64_t kEvaluationBatch = 256;

void reduceNow(Communicator& comm, at::Tensor& tensor, Reduce op) {
    Pending pending = comm.allReduce(tensor, op);
    pending.wait();
}

// A rank that serves adds nothing and is not counted.
void averageOverTrainers(Communicator& comm, at::Tensor& tensor, const Roles& roles) {
    if (roles.everyoneTrains()) return reduceNow(comm, tensor, Reduce::Mean);
    if (!roles.trains(comm.rank())) tensor.zero_();
    reduceNow(comm, tensor, Reduce::Sum);
    tensor.div_(roles.trainers());
}

void averageBuffers(FlatParams& params, Communicator& comm, const Roles& roles) {
    at::Tensor buffers = copyOfBuffers(params);
    if (!buffers.defined()) return;
    averageOverTrainers(comm, buffers, roles);
    setBuffers(params, buffers);
}

}  // namespace

Samples shareOf(const Samples& test, Rank rank, int ranks) {
    Samples share;
    if (test.count() == 0) return share;
    share.inputs = test.inputs.slice(0, rank.value(), test.count(), ranks).contiguous();
    share.targets = test.targets.slice(0, rank.value(), test.count(), ranks).contiguous();
    return share;
}

Evaluation evaluateOn(Model& model, const Samples& share) {
    const at::NoGradGuard guard;
    if (!share.targets.defined()) return model.evaluate({});
    Evaluation total;
    for (std::int64_t begin = 0; begin < share.count(); begin += kEvaluationBatch) {
        const std::int64_t end = std::min(begin + kEvaluationBatch, share.count());
        const Evaluation part = model.evaluate({share.inputs.slice(0, begin, end), share.targets.slice(0, begin, end)});
        total.lossSum += part.lossSum;
        total.correct += part.correct;
        total.samples += part.samples;
    }
    return total;
}

Evaluation evaluateValidation(Model& model, const EvaluationSets& share) {
    return share.validation.count() > 0 ? evaluateOn(model, share.validation) : Evaluation{};
}

at::Tensor summandsOf(const ShareEvaluation& found, double distance) {
    const auto number = [](std::int64_t count) { return static_cast<double>(count); };
    return torch::tensor(
        {found.mean.lossSum, number(found.mean.correct), number(found.mean.samples), number(found.replica.correct),
         distance, found.validation.lossSum, number(found.validation.correct), number(found.validation.samples)},
        torch::kFloat64);
}

EvaluationReport reportOf(const at::Tensor& sums, int ranks, bool classifies) {
    const auto* sum = sums.const_data_ptr<double>();
    const double samples = sum[2];
    constexpr double kNone = EvaluationReport::kNone;
    const double validated = sum[7];
    EvaluationReport report;
    report.loss = sum[0] / samples;
    report.accuracy = classifies ? sum[1] / samples : kNone;
    report.replicaAccuracy = classifies ? sum[3] / samples : kNone;
    report.consensusDistance = sum[4] / ranks;
    report.validationLoss = validated > 0 ? sum[5] / validated : kNone;
    report.validationAccuracy = validated > 0 && classifies ? sum[6] / validated : kNone;
    return report;
}

double squaredDistance(const at::Tensor& weights, const at::Tensor& others) {
    return (weights - others).to(torch::kFloat64).square().sum().item<double>();
}

at::Tensor copyOfBuffers(const FlatParams& params) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& buffer : params.buffers()) flat.push_back(buffer.flatten());
    return flat.empty() ? at::Tensor() : torch::cat(flat);
}

void setBuffers(const FlatParams& params, const at::Tensor& flat) {
    std::int64_t offset = 0;
    for (const at::Tensor& buffer : params.buffers()) {
        buffer.copy_(flat.slice(0, offset, offset + buffer.numel()).view_as(buffer));
        offset += buffer.numel();
    }
}

void averageModel(FlatParams& params, Communicator& comm, const Roles& roles) {
    const at::NoGradGuard guard;
    averageOverTrainers(comm, params.weights(), roles);
    averageBuffers(params, comm, roles);
}

void takeNamedModel(const at::Tensor& part, FlatParams& params, Communicator& comm, const Roles& roles) {
    const at::NoGradGuard guard;
    // A copy: it may be the weights themselves.
    at::Tensor named = part.defined() ? part.clone() : at::zeros_like(params.weights());
    reduceNow(comm, named, Reduce::Sum);
    params.weights().copy_(named);
    averageBuffers(params, comm, roles);
}

void record(const EvaluationReport& report, Metric at, Ns wall, EventSink& sink) {
    at.wall = wall;
    const auto tell = [&](std::string_view name, double value) {
        at.name = name;
        at.value = value;
        sink.metric(at);
    };
    if (report.validated()) {
        tell(metrics::kEvalValidationLoss, report.validationLoss);
        if (!std::isnan(report.validationAccuracy)) {
            tell(metrics::kEvalValidationAccuracy, report.validationAccuracy);
        }
    }
    tell(metrics::kEvalLoss, report.loss);
    if (!std::isnan(report.accuracy)) {
        tell(metrics::kEvalAccuracy, report.accuracy);
        tell(metrics::kEvalReplicaAccuracy, report.replicaAccuracy);
    }
    tell(metrics::kConsensusDistance, report.consensusDistance);
    // After the accuracy: whoever sums up takes the last word on the run's best from here.
    if (report.chosenAccuracy) tell(metrics::kEvalChosenAccuracy, *report.chosenAccuracy);
    if (report.targetReached) tell(metrics::kTargetReached, *report.targetReached);
}

Evaluator::Evaluator(Model& model, FlatParams& params, Communicator& comm, const EvaluationSets& sets, Roles roles,
                     TakeModel take)
    : model_(model),
      params_(params),
      comm_(comm),
      roles_(std::move(roles)),
      take_(take ? std::move(take) : [this] { averageModel(params_, comm_, roles_); }),
      judges_(roles_.trains(comm.rank())),
      classifies_(sets.test.count() > 0) {
    if (judges_) share_ = sets.shareOf(Rank(roles_.trainerIndex(comm.rank())), roles_.trainers());
}

Evaluation Evaluator::onOwnTests() { return judges_ ? evaluateOn(model_, share_.test) : Evaluation{}; }

EvaluationReport Evaluator::evaluate() {
    const at::NoGradGuard guard;
    ShareEvaluation found{.replica = onOwnTests()};
    const at::Tensor weights = params_.weights().clone();
    const at::Tensor buffers = copyOfBuffers(params_);
    take_();
    found.mean = onOwnTests();
    if (judges_) found.validation = evaluateValidation(model_, share_);
    const double distance = judges_ ? squaredDistance(weights, params_.weights()) : 0;
    params_.weights().copy_(weights);
    if (buffers.defined()) setBuffers(params_, buffers);

    at::Tensor sums = summandsOf(found, distance);
    reduceNow(comm_, sums, Reduce::Sum);
    return reportOf(sums, roles_.trainers(), classifies_);
}

}  // namespace dasgd
