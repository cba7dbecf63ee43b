// Runs of models that are cut into stages, and a serial version of stages that step along old gradients, written from
// the formula with the derivatives of a multilayer perceptron by hand.
#pragma once

#include <gtest/gtest.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/train/data/training_data.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/training.h"

namespace dasgd::test {

struct StagedRun {
    std::string algorithm = "pipeline";
    Fields fields = {};  // of the algorithm
    int workers = 2;
    int stages = 2;
    std::vector<std::int64_t> hidden = {7, 6, 5};
    std::vector<std::int64_t> shape = {9};
    std::int64_t classes = 4;
    double dropout = 0;
    std::int64_t steps = 12, batch = 8, accumulate = 1;
    double rate = 0.05, momentum = 0;
    std::string precision = "float64", backend = "threads";
    std::int64_t trainSamples = 90;

    [[nodiscard]] Value document() const {
        Fields all{{"name", text(algorithm)}};
        all.insert(all.end(), fields.begin(), fields.end());
        Fields cluster{{"backend", text(backend)}, {"workers", integer(workers)}};
        if (stages > 1) cluster.emplace_back("stages", integer(stages));
        return table(
            {{"name", text("staged")},
             {"algorithm", table(std::move(all))},
             {"model", table({{"name", text("mlp")}, {"hidden", array(hidden)}, {"dropout", number(dropout)}})},
             {"data", table({{"name", text("synthetic")},
                             {"shape", array(shape)},
                             {"classes", integer(classes)},
                             {"train_samples", integer(trainSamples)},
                             {"test_samples", integer(12)}})},
             {"train", table({{"steps", integer(steps)},
                              {"batch_size", integer(batch)},
                              {"accumulate", integer(accumulate)},
                              {"precision", text(precision)},
                              {"eval_every", integer(5)}})},
             {"optimizer",
              table({{"name", text("sgd")}, {"learning_rate", number(rate)}, {"momentum", number(momentum)}})},
             {"cluster", table(std::move(cluster))},
             {"record", table({{"weights", boolean(true)}})}});
    }
};

// [step][0]: the weights of a replica, put together from those that its stages have recorded.
inline Trajectory wholeWeights(const std::vector<RankRecord>& records, int stages, int replica = 0) {
    std::map<std::size_t, std::vector<double>> byWeight;
    for (int stage = 0; stage < stages; ++stage) {
        const RankRecord& record = records[static_cast<std::size_t>(replica * stages + stage)];
        EXPECT_EQ(record.outcome.error, "");
        for (const auto& [name, points] : record.sink.metrics) {
            if (!name.starts_with("weight/")) continue;
            std::vector<double>& values = byWeight[std::stoul(name.substr(7))];
            EXPECT_TRUE(values.empty()) << name << " is of two stages";
            for (const auto& point : points) values.push_back(point.value);
        }
    }
    Trajectory all(byWeight.begin()->second.size(), Workers(1, Vec(byWeight.size())));
    for (const auto& [weight, values] : byWeight) {
        EXPECT_EQ(values.size(), all.size());
        for (std::size_t k = 0; k < values.size(); ++k) all[k][0].at(weight) = values[k];
    }
    return all;
}

inline std::vector<double> metricOf(const RankRecord& record, const std::string& metric) {
    std::vector<double> values;
    const auto found = record.sink.metrics.find(metric);
    if (found == record.sink.metrics.end()) return values;
    for (const auto& point : found->second) values.push_back(point.value);
    return values;
}

// Stages of one layer each: x_k = relu(W_k x_{k−1} + c_k), of which the last has no relu but the mean cross entropy.
// In tick t stage k steps along the gradient at batch b = t − k − D_k, D_k = 2(K−1−k):
//   W_k[t] = W_k[t−1] − η g_k,   g_k = ∂/∂W_k of x_k(W, x_{k−1}(b)), times the gradient that stage k+1 made of b,
// where x_{k−1}(b) is what stage k−1 sent in tick b + k − 1, behind its step of that tick, and W is
//   the weights of its forward pass, W_k[b + k], where `keepsWeights`, else the present ones, W_k[t−1];
// stage K−1 makes its forward pass before its step, with W_{K−1}[t−1]. A gradient that is passed down is multiplied by
// `shrink`.
struct SerialStages {
    bool keepsWeights = true;
    double shrink = 1;

    struct Layer {
        at::Tensor weight, bias;
    };

    [[nodiscard]] Trajectory train(const Experiment& experiment, double rate) const {
        const at::NoGradGuard guard;
        const TrainingData data = loadTrainingData(experiment).value();
        const Plan plan = planSteps(experiment, data.splits.train.count());
        const auto model = std::move(buildModel(experiment, data, Rank(0)).value());
        const auto loader = openLoader(experiment, data, Rank(0));
        const auto parameters = model->module().parameters();
        std::vector<std::vector<Layer>> w;  // [stage][tick]
        for (std::size_t i = 0; i + 1 < parameters.size(); i += 2) {
            w.push_back(
                {{parameters[i].detach().to(at::kDouble).clone(), parameters[i + 1].detach().to(at::kDouble).clone()}});
        }
        const auto count = static_cast<std::int64_t>(w.size());
        std::map<std::int64_t, Batch> batches;
        // Both by stage and batch.
        std::map<std::pair<std::int64_t, std::int64_t>, at::Tensor> inputs, gradients;
        Trajectory all{flat(w)};
        for (std::int64_t tick = 1; tick <= experiment.train.steps; ++tick) {
            batches[tick] = loader->take(plan.batchOf(tick));
            inputs[{0, tick}] = batches[tick].inputs.flatten(1);
            for (std::int64_t k = 0; k < count; ++k) {
                auto& own = w[static_cast<std::size_t>(k)];
                const std::int64_t delay = 2 * (count - 1 - k), batch = tick - k - delay;
                Layer next = own.back();
                if (batch >= 1) {
                    const bool old = keepsWeights && k + 1 < count;
                    const Layer& at = old ? own[static_cast<std::size_t>(batch + k)] : own.back();
                    const at::Tensor x = inputs[{k, batch}];
                    const at::Tensor before = at::matmul(x, at.weight.t()) + at.bias;
                    at::Tensor delta;
                    if (k + 1 == count) {
                        const at::Tensor classes =
                            torch::one_hot(batches[batch].targets, before.size(1)).to(at::kDouble);
                        delta = (torch::softmax(before, 1) - classes) / before.size(0);
                    } else {
                        delta = gradients[{k, batch}] * shrink * (before > 0).to(at::kDouble);
                    }
                    if (k > 0) gradients[{k - 1, batch}] = at::matmul(delta, at.weight);
                    next = {own.back().weight - at::matmul(delta.t(), x) * rate, own.back().bias - delta.sum(0) * rate};
                }
                own.push_back(next);
                const std::int64_t entering = tick - k;
                if (k + 1 < count && entering >= 1) {
                    inputs[{k + 1, entering}] =
                        torch::relu(at::matmul(inputs[{k, entering}], next.weight.t()) + next.bias);
                }
            }
            all.push_back(flat(w));
        }
        return all;
    }

private:
    static Workers flat(const std::vector<std::vector<Layer>>& w) {
        std::vector<at::Tensor> parts;
        for (const auto& stage : w) {
            parts.push_back(stage.back().weight.flatten());
            parts.push_back(stage.back().bias.flatten());
        }
        const at::Tensor all = torch::cat(parts).contiguous();
        return {Vec(all.data_ptr<double>(), all.data_ptr<double>() + all.numel())};
    }
};

}  // namespace dasgd::test
