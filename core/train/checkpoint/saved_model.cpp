#include "core/train/checkpoint/saved_model.h"

#include <torch/types.h>

#include "core/train/checkpoint/named_tensors.h"

namespace dasgd {

namespace {

constexpr const char* kWeights = "weights/";
constexpr const char* kNamed = "named/";
constexpr const char* kBuffers = "buffers/";
constexpr const char* kNamedBuffers = "named_buffers/";

// Keeps the largest value of each tensor that is no floating-point one: counters of batches.
void takeLargest(std::map<std::string, at::Tensor>& largest, const Archive& part) {
    for (const auto& [name, tensor] : part.tensors()) {
        if (tensor.is_floating_point()) continue;
        at::Tensor& most = largest[name];
        most = most.defined() ? at::maximum(most, tensor) : tensor;
    }
}

}  // namespace

Status addTo(TensorSums& sums, const Archive& part) {
    for (const auto& [name, tensor] : part.tensors()) {
        if (!tensor.is_floating_point()) continue;
        at::Tensor& sum = sums[name];
        if (!sum.defined()) sum = torch::zeros(tensor.sizes(), torch::kFloat64);
        if (sum.sizes() != tensor.sizes()) return fail("'" + name + "' has another shape on another rank");
        sum.add_(tensor);
    }
    return {};
}

Status SavedModel::add(const Archive& rank, bool trains) {
    const at::NoGradGuard guard;
    named_ = named_ || rank.integers().contains("names");
    if (named_) DASGD_TRY(addTo(weights_, rank.under(kNamed)));
    const Archive buffers = rank.under(kNamedBuffers);
    namedBuffers_ = namedBuffers_ || !buffers.tensors().empty();
    if (namedBuffers_) {
        DASGD_TRY(addTo(buffers_, buffers));
        takeLargest(counters_, rank.under(kBuffers));
    }
    if (!trains) return {};
    if (trainers_++ == 0) {
        for (const char* prefix : {kWeights, kBuffers}) {
            const Archive part = rank.under(prefix);
            first_.insert(part.tensors().begin(), part.tensors().end());
        }
    }
    if (!named_) DASGD_TRY(addTo(weights_, rank.under(kWeights)));
    return namedBuffers_ ? Status{} : addTo(buffers_, rank.under(kBuffers));
}

Archive SavedModel::take() {
    const at::NoGradGuard guard;
    if (!named_) {
        for (auto& [name, sum] : weights_) sum.div_(trainers_);
    }
    if (!namedBuffers_) {
        for (auto& [name, sum] : buffers_) sum.div_(trainers_);
    }
    Archive model;
    for (const auto& [name, tensor] : first_) {
        const auto weights = weights_.find(name), buffers = buffers_.find(name);
        const auto counters = counters_.find(name);
        const at::Tensor& value = weights != weights_.end()     ? weights->second
                                  : buffers != buffers_.end()   ? buffers->second
                                  : counters != counters_.end() ? counters->second
                                                                : tensor;
        model.put(name, value.to(tensor.scalar_type()));
    }
    return model;
}

Archive modelOf(torch::nn::Module& module) {
    const at::NoGradGuard guard;
    Archive model;
    const auto put = [&](const std::string& name, const at::Tensor& tensor) -> Status {
        model.put(name, tensor);
        return {};
    };
    static_cast<void>(forEachOnce(module.named_parameters(), put));
    static_cast<void>(forEachOnce(module.named_buffers(), put));
    return model;
}

}  // namespace dasgd
