// The flat optimisers against LibTorch's own on the same network, parameter by parameter, in float64.
#pragma once

#include <gtest/gtest.h>
#include <torch/optim/optimizer.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/optimizers/optimizer.h"
#include "tests/support/document.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {

inline constexpr int kOptimizerSteps = 100;
inline const InputSpec kOptimizerInput{.shape = {6}, .classes = 4};

inline std::unique_ptr<Optimizer> createOptimizer(const std::string& name, const Value& fields) {
    auto optimizer = OptimizerRegistry::find(name)->create(fields, {});
    EXPECT_TRUE(optimizer) << (optimizer ? "" : optimizer.error().message);
    return std::move(*optimizer);
}

// Weights of two dimensions and biases of one; between the first and the last layer a wide matrix and a tall one.
inline std::unique_ptr<Model> optimizedNetwork() {
    auto model = buildModel("mlp", kOptimizerInput, table({{"hidden", array<std::int64_t>({7, 5, 6})}}));
    model->module().to(torch::kFloat64);
    return model;
}

inline at::Tensor flatOf(torch::nn::Module& module) {
    std::vector<at::Tensor> parts;
    for (const at::Tensor& parameter : module.parameters()) parts.push_back(parameter.detach().flatten());
    return torch::cat(parts);
}

// Trains two equal networks on the same batches at a rate that changes every step, the second by `stepTheirs`, which is
// given its parameters, with their gradients, and the number of the step from 1 on. Returns the largest relative
// difference of a weight seen after any step.
inline double largestDifferenceFrom(
    Optimizer& ours, int steps,
    const std::function<void(const std::vector<at::Tensor>& parameters, int step, double rate)>& stepTheirs) {
    auto model = optimizedNetwork();
    auto reference = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    double worst = 0;
    for (int k = 0; k < steps; ++k) {
        const Batch batch = randomBatch(kOptimizerInput, 8, at::kDouble);
        const double rate = 0.05 / (1 + 0.1 * k);
        flat.gradients().zero_();
        model->loss(batch).backward();
        ours.step(flat, rate);

        reference->module().zero_grad();
        reference->loss(batch).backward();
        stepTheirs(reference->module().parameters(), k + 1, rate);
        const at::Tensor expected = flatOf(reference->module());
        const at::Tensor difference = (flat.weights() - expected).abs() / expected.abs().clamp_min(1e-3);
        worst = std::max(worst, difference.max().item<double>());
    }
    return worst;
}

// Compares with one of LibTorch's optimisers instead.
inline double largestDifference(
    Optimizer& ours, const std::function<std::unique_ptr<torch::optim::Optimizer>(std::vector<at::Tensor>)>& makeTheirs,
    const std::function<void(torch::optim::Optimizer&, double)>& setRate, int steps = kOptimizerSteps) {
    std::unique_ptr<torch::optim::Optimizer> theirs;
    return largestDifferenceFrom(ours, steps, [&](const std::vector<at::Tensor>& parameters, int, double rate) {
        if (!theirs) theirs = makeTheirs(parameters);
        setRate(*theirs, rate);
        theirs->step();
    });
}

// A step of a rule written for one parameter, which changes `weights` in place. `decayed` is false of parameters of one
// dimension where `biasNormExempt` is set.
struct RuleStep {
    at::Tensor weights, gradient;
    std::vector<at::Tensor>& state;  // of this parameter; empty at first
    int step = 1;
    double rate = 0;
    bool decayed = true;
};
inline double largestDifferenceFromRule(Optimizer& ours, int steps, bool biasNormExempt,
                                        const std::function<void(const RuleStep&)>& rule) {
    std::vector<std::vector<at::Tensor>> states;
    return largestDifferenceFrom(ours, steps, [&](const std::vector<at::Tensor>& parameters, int step, double rate) {
        const at::NoGradGuard guard;
        states.resize(parameters.size());
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const bool decayed = !biasNormExempt || parameters[i].dim() > 1;
            rule({parameters[i].detach(), parameters[i].grad(), states[i], step, rate, decayed});
        }
    });
}

// Value of no_decay in [optimizer], in a test of both kinds of groups.
inline const char* noDecayOf(bool biasNormExempt) { return biasNormExempt ? "bias-norm" : "none"; }

}  // namespace dasgd::test
