#include "core/train/evaluator.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace dasgd {

namespace {

constexpr std::int64_t kEvaluationBatch = 256;

// Weights and buffers of a module, to put back later.
struct Saved {
    at::Tensor weights;
    std::vector<at::Tensor> buffers;
    explicit Saved(FlatParams& params) : weights(params.weights().clone()) {
        for (const at::Tensor& buffer : params.buffers()) buffers.push_back(buffer.clone());
    }
    void restore(FlatParams& params) const {
        params.weights().copy_(weights);
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            at::Tensor target = params.buffers()[i];
            target.copy_(buffers[i]);
        }
    }
};

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

}  // namespace

void averageModel(FlatParams& params, Communicator& comm, const Roles& roles) {
    const at::NoGradGuard guard;
    averageOverTrainers(comm, params.weights(), roles);
    averageBuffers(params, comm, roles);
}

void averageBuffers(FlatParams& params, Communicator& comm, const Roles& roles) {
    const at::NoGradGuard guard;
    std::vector<at::Tensor> flat;
    for (const at::Tensor& buffer : params.buffers()) flat.push_back(buffer.flatten());
    if (flat.empty()) return;
    at::Tensor buffers = torch::cat(flat);
    averageOverTrainers(comm, buffers, roles);
    std::int64_t offset = 0;
    for (const at::Tensor& buffer : params.buffers()) {
        buffer.copy_(buffers.slice(0, offset, offset + buffer.numel()).view_as(buffer));
        offset += buffer.numel();
    }
}

Evaluator::Evaluator(Model& model, FlatParams& params, Communicator& comm, const Samples& test, Roles roles,
                     TakeModel take)
    : model_(model),
      params_(params),
      comm_(comm),
      roles_(std::move(roles)),
      take_(take ? std::move(take) : [this] { averageModel(params_, comm_, roles_); }),
      judges_(roles_.trains(comm.rank())),
      classifies_(test.count() > 0) {
    if (test.count() == 0 || !judges_) return;
    const int own = roles_.trainerIndex(comm.rank());
    // Every P-th sample, so that test sets sorted by class are shared out evenly.
    share_.inputs = test.inputs.slice(0, own, test.count(), roles_.trainers()).contiguous();
    share_.targets = test.targets.slice(0, own, test.count(), roles_.trainers()).contiguous();
}

Evaluation Evaluator::onOwnShare() {
    const at::NoGradGuard guard;
    if (!judges_) return {};
    if (!share_.targets.defined()) return model_.evaluate({});
    Evaluation total;
    for (std::int64_t begin = 0; begin < share_.count(); begin += kEvaluationBatch) {
        const std::int64_t end = std::min(begin + kEvaluationBatch, share_.count());
        const Evaluation part =
            model_.evaluate({share_.inputs.slice(0, begin, end), share_.targets.slice(0, begin, end)});
        total.lossSum += part.lossSum;
        total.correct += part.correct;
        total.samples += part.samples;
    }
    return total;
}

EvaluationReport Evaluator::evaluate() {
    const at::NoGradGuard guard;
    const std::int64_t sentBefore = comm_.bytesSent();
    const Evaluation replica = onOwnShare();
    const Saved own(params_);
    take_();
    const Evaluation mean = onOwnShare();
    const double distance =
        !judges_ ? 0 : (own.weights - params_.weights()).to(torch::kFloat64).square().sum().item<double>();
    own.restore(params_);

    at::Tensor sums = torch::tensor({mean.lossSum, static_cast<double>(mean.correct), static_cast<double>(mean.samples),
                                     static_cast<double>(replica.correct), distance},
                                    torch::kFloat64);
    reduceNow(comm_, sums, Reduce::Sum);
    const auto* sum = sums.const_data_ptr<double>();
    const double samples = sum[2];
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    return {.loss = sum[0] / samples,
            .accuracy = classifies_ ? sum[1] / samples : kNone,
            .replicaAccuracy = classifies_ ? sum[3] / samples : kNone,
            .consensusDistance = sum[4] / roles_.trainers(),
            .bytesSent = comm_.bytesSent() - sentBefore};
}

}  // namespace dasgd
