// Helpers that the tests of the classification models share.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/models/classifier.h"
#include "core/models/default_generator.h"

namespace dasgd::test {

inline std::unique_ptr<Model> createModel(const std::string& name, const Value& fields = {}) {
    auto model = ModelRegistry::find(name)->create(fields, {});
    EXPECT_TRUE(model) << (model ? "" : model.error().message);
    return std::move(*model);
}

inline std::unique_ptr<Model> buildModel(const std::string& name, const InputSpec& input, const Value& fields = {}) {
    auto model = createModel(name, fields);
    at::set_num_threads(1);  // other tests run beside this one
    // Initial weights come from torch's one default generator: ranks that are threads take turns.
    const std::lock_guard lock(defaultGeneratorMutex());
    at::manual_seed(3);
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

// Trainable parameters of each direct child of the network, in registration order; children without any left out.
inline std::vector<std::int64_t> parametersOfChildren(Model& model) {
    std::vector<std::int64_t> counts;
    for (const auto& child : model.module().children()) {
        std::int64_t count = 0;
        for (const at::Tensor& parameter : child->parameters()) count += parameter.numel();
        if (count > 0) counts.push_back(count);
    }
    return counts;
}

// Gradients of all parameters together, as a vector.
inline at::Tensor gradientOf(Model& model, const Batch& batch) {
    model.module().zero_grad();
    model.loss(batch).backward();
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : model.module().parameters()) parts.push_back(parameter.grad().flatten());
    return torch::cat(parts);
}

// Expects what HasGradientNorms says of each sample, for a batch in float64.
inline void expectNormsOfEachSample(Model& model, const Batch& batch) {
    const at::Tensor norms = dynamic_cast<HasGradientNorms&>(model).gradientNorms(batch);
    ASSERT_EQ(norms.numel(), batch.targets.size(0));
    for (std::int64_t i = 0; i < norms.numel(); ++i) {
        const Batch alone{batch.inputs.slice(0, i, i + 1), batch.targets.slice(0, i, i + 1)};
        EXPECT_NEAR(norms[i].item<double>(), gradientOf(model, alone).norm().item<double>(), 1e-12) << i;
    }
}

inline at::Tensor outputsOf(Model& model, const at::Tensor& inputs) {
    return dynamic_cast<Network&>(model.module()).forward(inputs);
}

inline Batch randomBatch(const InputSpec& input, std::int64_t size, at::ScalarType type = at::kFloat) {
    std::vector<std::int64_t> sizes{size};
    sizes.insert(sizes.end(), input.shape.begin(), input.shape.end());
    if (input.task == Task::kLanguage) {
        return {torch::randint(input.classes, sizes, torch::kInt64),
                torch::randint(input.classes, sizes, torch::kInt64)};
    }
    if (input.task == Task::kRegression) return {torch::randn(sizes, type), torch::randn({size, input.classes}, type)};
    const at::Tensor inputs = torch::randn(sizes, type);
    if (const Categories& of = input.categories; of.features > 0) {
        const std::int64_t named = of.features * of.lookups;
        inputs.slice(1, sizes[1] - named).copy_(torch::randint(of.rows, {size, named}, torch::kInt64));
    }
    return {inputs, torch::randint(input.classes, {size}, torch::kInt64)};
}

inline std::string refusalOf(const std::string& name, const InputSpec& input, const Value& fields = {}) {
    const Status built =
        createModel(name, fields)
            ->build({.input = input, .rank = Rank{0}, .workers = 1, .random = at::detail::createCPUGenerator(3)});
    return built ? "" : built.error().message;
}

// Expects that a network of images takes them from this extent on, a single one a batch too, reaches every parameter
// with a gradient, and says so where they are smaller.
inline void expectTakesImagesFrom(const std::string& name, std::int64_t extent, const Value& fields = {}) {
    const InputSpec smallest{.shape = {3, extent, extent}, .classes = 5};
    const auto model = buildModel(name, smallest, fields);
    const at::Tensor loss = model->loss(randomBatch(smallest, 1));
    EXPECT_TRUE(loss.isfinite().item<bool>());
    loss.backward();
    for (const auto& parameter : model->module().named_parameters()) {
        EXPECT_TRUE(parameter.value().grad().defined()) << parameter.key();
    }
    EXPECT_EQ(model->evaluate(randomBatch(smallest, 3)).samples, 3);
    const std::string least = std::to_string(extent) + "x" + std::to_string(extent);
    const InputSpec smaller{.shape = {3, extent, extent - 1}, .classes = 5};
    for (const InputSpec& other : {smaller, InputSpec{.shape = {3 * extent * extent}, .classes = 5}}) {
        const std::string message = refusalOf(name, other, fields);
        EXPECT_NE(message.find(name + " takes images"), std::string::npos) << message;
        EXPECT_NE(message.find(least), std::string::npos) << message;
    }
    const InputSpec values{.shape = smallest.shape, .classes = 1, .task = Task::kRegression};
    EXPECT_NE(refusalOf(name, values, fields).find("learns classes"), std::string::npos);
}

// Compares the gradient of one entry per parameter with central differences; the model is in float64.
inline void expectGradientsMatchDifferences(Model& model, const Batch& batch) {
    model.loss(batch).backward();
    constexpr double kStep = 1e-7;  // so short that no ReLU switches within it
    for (at::Tensor parameter : model.module().parameters()) {
        const double gradient = parameter.grad().flatten()[0].item<double>();
        const at::NoGradGuard noGrad;
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
