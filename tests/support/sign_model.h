// A model small enough to know by heart, with buffers.
#pragma once

#include <torch/nn.h>
#include <torch/types.h>

#include "core/models/model.h"

namespace dasgd::test {

// Classifies by the sign of w·x and counts its samples. It has one BatchNorm, so that there are buffers.
class SignModel final : public Model {
public:
    struct Net : torch::nn::Module {
        Net() {
            weight = register_parameter("weight", torch::zeros({2}));
            norm = register_module("norm", torch::nn::BatchNorm1d(2));
        }
        at::Tensor weight;
        torch::nn::BatchNorm1d norm{nullptr};
    };
    Status build(const BuildContext&) override { return {}; }
    torch::nn::Module& module() override { return net; }
    at::Tensor loss(const Batch& batch) override { return batch.inputs.matmul(net.weight).sum(); }
    Evaluation evaluate(const Batch& batch) override {
        const at::Tensor score = batch.inputs.matmul(net.weight);
        const at::Tensor correct = (score > 0).to(torch::kInt64).eq(batch.targets);
        return {score.sum().item<double>(), correct.sum().item<std::int64_t>(), batch.targets.size(0)};
    }
    InputSpec naturalInput() const override { return {{2}, 2}; }
    Net net;
};

}  // namespace dasgd::test
