// The flat optimisers against LibTorch's own on the same network, parameter by parameter, in float64.
#pragma once

#include <gtest/gtest.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/optimizers/optimizer.h"
#include "tests/support/document.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {

inline constexpr int kOptimizerSteps = 25;
inline const InputSpec kOptimizerInput{.shape = {6}, .classes = 4};

inline std::unique_ptr<Optimizer> createOptimizer(const std::string& name, const Value& fields) {
    auto optimizer = OptimizerRegistry::find(name)->create(fields, {});
    EXPECT_TRUE(optimizer) << (optimizer ? "" : optimizer.error().message);
    return std::move(*optimizer);
}

inline std::unique_ptr<Model> optimizedNetwork() {
    auto model = buildModel("mlp", kOptimizerInput, table({{"hidden", array<std::int64_t>({7})}}));
    model->module().to(torch::kFloat64);
    return model;
}

inline at::Tensor flatOf(torch::nn::Module& module) {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : module.parameters()) parts.push_back(parameter.detach().flatten());
    return torch::cat(parts);
}

// Trains two equal networks on the same batches at a rate that changes every step; returns the largest relative
// difference of a weight seen after any step.
inline double largestDifference(
    Optimizer& ours, const std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>)>& makeTheirs,
    const std::function<void(torch::optim::Optimizer&, double)>& setRate) {
    auto model = optimizedNetwork();
    auto reference = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    auto theirs = makeTheirs(reference->module().parameters());
    double worst = 0;
    for (int k = 0; k < kOptimizerSteps; ++k) {
        const Batch batch = randomBatch(kOptimizerInput, 8, at::kDouble);
        const double rate = 0.05 / (1 + 0.1 * k);
        flat.gradients().zero_();
        model->loss(batch).backward();
        ours.step(flat, rate);

        theirs->zero_grad();
        reference->loss(batch).backward();
        setRate(*theirs, rate);
        theirs->step();
        const at::Tensor expected = flatOf(reference->module());
        const at::Tensor difference = (flat.weights() - expected).abs() / expected.abs().clamp_min(1e-3);
        worst = std::max(worst, difference.max().item<double>());
    }
    return worst;
}

}  // namespace dasgd::test
