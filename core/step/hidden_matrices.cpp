#include "core/step/hidden_matrices.h"

#include <torch/nn/modules/embedding.h>

#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "core/step/flat_params.h"

namespace dasgd {

std::vector<bool> hiddenMatrices(const torch::nn::Module& module) {
    std::unordered_set<const c10::TensorImpl*> embeddings;
    std::int64_t tokens = 0;  // rows of the first embedding
    for (const auto& part : module.modules(/*include_self=*/false)) {
        const auto* embedding = part->as<torch::nn::Embedding>();
        if (embedding == nullptr) continue;
        if (embeddings.empty()) tokens = embedding->weight.size(0);
        embeddings.insert(embedding->weight.unsafeGetTensorImpl());
    }

    const std::vector<at::Tensor> parameters = trainableParameters(module);
    std::vector<std::size_t> matrices;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const bool embeds = embeddings.contains(parameters[i].unsafeGetTensorImpl());
        if (parameters[i].dim() >= 2 && !embeds) matrices.push_back(i);
    }
    std::vector<bool> hidden(parameters.size());
    for (const std::size_t matrix : matrices) hidden[matrix] = true;
    if (matrices.empty()) return hidden;
    if (embeddings.empty()) hidden[matrices.front()] = false;
    if (embeddings.empty() || parameters[matrices.back()].size(0) == tokens) hidden[matrices.back()] = false;
    return hidden;
}

}  // namespace dasgd
