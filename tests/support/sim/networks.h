// What the tests of the classification models share.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

#include "core/models/model.h"

namespace dasgd::test {

inline std::unique_ptr<Model> createModel(const std::string& name, const Value& fields = {}) {
    auto model = ModelRegistry::find(name)->create(fields, {});
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    return std::move(*model);
}

inline std::unique_ptr<Model> buildModel(const std::string& name, const InputSpec& input, const Value& fields = {}) {
    auto model = createModel(name, fields);
    at::set_num_threads(1);  // other tests run beside this one
    torch::manual_seed(3);
    const Status built =
        model->build({.input = input, .rank = Rank{0}, .workers = 1, .random = at::detail::createCPUGenerator(3)});
    EXPECT_TRUE(built) << (built ? "" : built.error().message);
    return model;
}

inline std::int64_t parameterCount(Model& model) {
    std::int64_t count = 0;
    for (const at::Tensor& parameter : model.module().parameters()) count += parameter.numel();
    return count;
}

inline Batch randomBatch(const InputSpec& input, std::int64_t size, at::ScalarType type = at::kFloat) {
    std::vector<std::int64_t> sizes{size};
    sizes.insert(sizes.end(), input.shape.begin(), input.shape.end());
    return {torch::randn(sizes, type), torch::randint(input.classes, {size}, torch::kInt64)};
}

// Compares the gradient of one entry per parameter with central differences; the model is in float64.
inline void expectGradientsMatchDifferences(Model& model, const Batch& batch) {
    model.loss(batch).backward();
    constexpr double kStep = 1e-7;  // so short that no ReLU switches within it
    for (at::Tensor parameter : model.module().parameters()) {
        const double gradient = parameter.grad().flatten()[0].item<double>();
        const torch::NoGradGuard noGrad;
        at::Tensor entry = parameter.flatten()[0];
        entry.add_(kStep);
        const double above = model.loss(batch).item<double>();
        entry.sub_(2 * kStep);
        const double below = model.loss(batch).item<double>();
        entry.add_(kStep);
        EXPECT_NEAR(gradient, (above - below) / (2 * kStep), 1e-6);
    }
}

}  // namespace dasgd::test
