#include "core/train/evaluation/evaluator.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/metric_names.h"
#include "core/datasets/loader.h"
#include "core/train/device/prefetched_batches.h"

namespace dasgd {

namespace {

constexpr std::int64_t kEvaluationBatch = 256;
constexpr std::int64_t kEvaluationRows = 16;

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

// Adds a pass over `indices` in batches of `batch`.
void addPass(Model& model, const TestShare& share, const at::Tensor& indices, std::int64_t batch, Evaluation& total) {
    const std::int64_t count = indices.numel();
    if (count == 0) return;
    model.beginPass(false);
    BatchLoader loader(share.samples, share.type, [&, begin = std::int64_t{0}]() mutable -> std::optional<BatchOrder> {
        if (begin >= count) return std::nullopt;
        const std::int64_t from = std::exchange(begin, begin + batch);
        return BatchOrder{indices.slice(0, from, std::min(from + batch, count))};
    });
    std::optional<PrefetchedBatches> brought;
    if (share.bring) brought.emplace(*share.bring, [&] { return loader.take(); });
    while (const auto taken = brought ? brought->take() : loader.take()) {
        const Evaluation part = model.evaluate(*taken);
        total.lossSum += part.lossSum;
        total.correct += part.correct;
        total.samples += part.samples;
    }
}

}  // namespace

TestShare shareOf(const SamplePlaces::Placed& test, Rank rank, int ranks, at::ScalarType type) {
    const std::int64_t count = test.samples.count();
    if (count == 0) return {};
    const std::int64_t begin = count * rank.value() / ranks, end = count * (rank.value() + 1) / ranks;
    // Ranks beyond the last sample have no share.
    const std::int64_t first = std::min<std::int64_t>(rank.value(), count);
    const at::Tensor indices = test.samples.continuous ? torch::arange(begin, end, torch::kInt64)
                                                       : torch::arange(first, count, ranks, torch::kInt64);
    return {test.samples, indices, type, test.bring};
}

Evaluation evaluateOn(Model& model, const TestShare& share) {
    const at::NoGradGuard guard;
    if (!share.indices.defined()) return model.evaluate({});
    Evaluation total;
    if (!share.samples.continuous) {
        addPass(model, share, share.indices, kEvaluationBatch, total);
        return total;
    }
    const std::int64_t count = share.indices.numel();
    const std::int64_t batches = count / kEvaluationRows;
    addPass(model, share, inRows(share.indices, kEvaluationRows, batches), kEvaluationRows, total);
    addPass(model, share, share.indices.slice(0, kEvaluationRows * batches, count), 1, total);
    return total;
}

EvaluationShares sharesOf(const EvaluationSets& sets, Rank rank, int ranks, at::ScalarType type) {
    return {shareOf(sets.test, rank, ranks, type), shareOf(sets.validation, rank, ranks, type)};
}

Evaluation evaluateValidation(Model& model, const EvaluationShares& shares) {
    return shares.validation.indices.defined() ? evaluateOn(model, shares.validation) : Evaluation{};
}

std::optional<Task> taskOf(const Samples& test) { return test.count() > 0 ? std::optional(test.task()) : std::nullopt; }

at::Tensor summandsOf(const ShareEvaluation& found, const DeviceSum& distance, at::Device device) {
    const auto count = [](std::int64_t samples) { return DeviceSum(static_cast<double>(samples)); };
    const DeviceSum sums[]{
        found.mean.lossSum, found.mean.correct,       count(found.mean.samples), found.replica.correct,
        distance,           found.validation.lossSum, found.validation.correct,  count(found.validation.samples)};
    std::vector<at::Tensor> there;
    for (const DeviceSum& sum : sums) there.push_back(sum.on(device));
    return torch::stack(there).cpu();
}

EvaluationReport reportOf(const at::Tensor& sums, int ranks, std::optional<Task> task) {
    const auto* sum = sums.const_data_ptr<double>();
    const double samples = sum[2];
    const bool hasClasses = task && *task != Task::kRegression;
    const auto orNone = [](bool known, double value) { return known ? value : EvaluationReport::kNone; };
    const double validated = sum[7];
    EvaluationReport report;
    report.loss = sum[0] / samples;
    report.accuracy = orNone(hasClasses, sum[1] / samples);
    report.replicaAccuracy = orNone(hasClasses, sum[3] / samples);
    report.consensusDistance = sum[4] / ranks;
    report.classifies = task == Task::kClassification;
    report.perplexity = orNone(task == Task::kLanguage, std::exp(report.loss));
    report.validationLoss = orNone(validated > 0, sum[5] / validated);
    report.validationAccuracy = orNone(validated > 0 && hasClasses, sum[6] / validated);
    report.validationPerplexity = orNone(task == Task::kLanguage, std::exp(report.validationLoss));
    return report;
}

DeviceSum squaredDistance(const at::Tensor& weights, const at::Tensor& others) {
    return (weights - others).to(torch::kFloat64).square().sum();
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

at::Tensor copyOfCounters(const torch::nn::Module& module) {
    std::vector<at::Tensor> flat;
    for (const at::Tensor& buffer : module.buffers()) {
        if (!buffer.is_floating_point()) flat.push_back(buffer.flatten().to(torch::kInt64));
    }
    return flat.empty() ? at::Tensor() : torch::cat(flat);
}

void setCounters(torch::nn::Module& module, const at::Tensor& flat) {
    const at::NoGradGuard guard;
    std::int64_t offset = 0;
    for (at::Tensor& buffer : module.buffers()) {
        if (buffer.is_floating_point()) continue;
        buffer.copy_(flat.slice(0, offset, offset + buffer.numel()).view_as(buffer));
        offset += buffer.numel();
    }
}

void takeLargestCounters(torch::nn::Module& module, Communicator& comm) {
    const at::Tensor own = copyOfCounters(module);
    if (!own.defined()) return;
    at::Tensor largest = own.to(torch::kFloat64);  // exact up to 2^53
    reduceNow(comm, largest, Reduce::Max);
    setCounters(module, largest);
}

void averageModel(FlatParams& params, Communicator& comm, const Roles& roles) {
    const at::NoGradGuard guard;
    averageOverTrainers(comm, params.weights(), roles);
    averageBuffers(params, comm, roles);
}

void takeNamedModel(const at::Tensor& part, FlatParams& params, Communicator& comm, const Roles& roles,
                    const at::Tensor& buffers) {
    const at::NoGradGuard guard;
    // A copy, because `part` may be the weights themselves.
    at::Tensor named = part.defined() ? part.clone() : at::zeros_like(params.weights());
    reduceNow(comm, named, Reduce::Sum);
    params.weights().copy_(named);
    if (!buffers.defined()) return averageBuffers(params, comm, roles);
    at::Tensor sum = buffers.clone();
    reduceNow(comm, sum, Reduce::Sum);
    setBuffers(params, sum);
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
        if (!std::isnan(report.validationPerplexity)) {
            tell(metrics::kEvalValidationPerplexity, report.validationPerplexity);
        }
    }
    tell(metrics::kEvalLoss, report.loss);
    if (!std::isnan(report.accuracy)) {
        tell(metrics::kEvalAccuracy, report.accuracy);
        if (!std::isnan(report.replicaAccuracy)) tell(metrics::kEvalReplicaAccuracy, report.replicaAccuracy);
    }
    if (!std::isnan(report.perplexity)) tell(metrics::kEvalPerplexity, report.perplexity);
    if (!std::isnan(report.consensusDistance)) tell(metrics::kConsensusDistance, report.consensusDistance);
    // Recorded after the accuracy, because a reader that sums up the run takes the last value as its best from here.
    if (report.chosenAccuracy) tell(metrics::kEvalChosenAccuracy, *report.chosenAccuracy);
    if (report.chosenLoss) tell(metrics::kEvalChosenLoss, *report.chosenLoss);
    if (report.trainedSeconds) tell(metrics::kTrainedSeconds, *report.trainedSeconds);
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
      task_(taskOf(sets.test.samples)) {
    if (!judges_) return;
    const auto type = params_.weights().scalar_type();
    shares_ = sharesOf(sets, Rank(roles_.trainerIndex(comm.rank())), roles_.trainers(), type);
}

Evaluation Evaluator::onOwnTests() { return judges_ ? evaluateOn(model_, shares_.test) : Evaluation{}; }

EvaluationReport Evaluator::evaluate(const std::function<void()>& whileTaken) {
    const at::NoGradGuard guard;
    ShareEvaluation found;
    if (judgesReplica()) found.replica = onOwnTests();
    const at::Tensor weights = params_.weights().clone();
    const at::Tensor buffers = copyOfBuffers(params_), counters = copyOfCounters(model_.module());
    take_();
    found.mean = onOwnTests();
    if (judges_) found.validation = evaluateValidation(model_, shares_);
    const DeviceSum distance = judgesReplica() ? squaredDistance(weights, params_.weights()) : DeviceSum();
    if (whileTaken) whileTaken();
    params_.weights().copy_(weights);
    if (buffers.defined()) setBuffers(params_, buffers);
    if (counters.defined()) setCounters(model_.module(), counters);

    at::Tensor sums = summandsOf(found, distance, weights.device());
    reduceNow(comm_, sums, Reduce::Sum);
    EvaluationReport report = reportOf(sums, roles_.trainers(), task_);
    if (!roles_.wholeReplicas()) report.replicaAccuracy = report.consensusDistance = EvaluationReport::kNone;
    return report;
}

}  // namespace dasgd
