#include <gmock/gmock.h>

#include "core/train/data/training_data.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

// As in AsyncSgd's test of unlike data: there the weights go to −½. The mean of the minima is 0, whatever the paces.
TEST(AsyncSaga, InSimulatedTimeOnUnlikeDataGoesToTheMinimumOfTheMean) {
    QuadraticProblem problem{.workers = 2, .steps = 400, .rate = 0.05, .momentum = 0};
    problem.matrix = {{1}};
    problem.start = {0.7};
    Value document = servedVirtuallyBy(problem, "async_saga", {}, {1, 3});
    document.find("model")->set("targets", matrix({{-1}, {1}}));
    const Trajectory weights = recorded(trainVirtually(document));
    const double after100 = std::abs(weights[100][0][0]), after300 = std::abs(weights[300][0][0]);
    EXPECT_LT(after100, 0.2);
    EXPECT_LT(after300, 1e-3 * after100) << "linearly: async_sgd stays half a unit away";
}

Value inFixedBatches(std::int64_t epochs) {
    return table(
        {{"name", text("saga")},
         {"algorithm", table({{"name", text("async_saga")}})},
         {"model", table({{"name", text("logistic")}})},
         {"data", table({{"name", text("synthetic")},
                         {"shape", array<std::int64_t>({9})},
                         {"classes", integer(4)},
                         {"train_samples", integer(90)},
                         {"test_samples", integer(12)},
                         {"shuffle", text("none")}})},
         {"train", table({{"epochs", integer(epochs)},
                          {"batch_size", integer(16)},
                          {"precision", text("float64")},
                          {"eval_every", integer(1'000'000)}})},
         {"optimizer", table({{"name", text("sgd")}, {"learning_rate", number(0.1)}, {"momentum", number(0)}})},
         {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})},
         {"record", table({{"weights", boolean(true)}})}});
}

// Serial SAGA in float64, the components in their order, with the gradients of LibTorch's softmax regression.
TEST(AsyncSaga, OfOneWorkerIsSerialSagaOverTheBatchesOfAPass) {
    const Value document = inFixedBatches(3);
    const auto experiment = readExperiment(document).value();
    const auto data = loadTrainingData(experiment).value();
    const Plan plan = planSteps(experiment, data.splits.train.count());
    const std::int64_t components = plan.stepsPerEpoch;
    ASSERT_EQ(components, 6) << "the last of 10 samples";
    const auto records = train(document);
    for (const RankRecord& record : records) ASSERT_EQ(record.outcome.error, "");

    const Samples& samples = data.splits.train;
    const Batch all = makeBatch(samples, torch::arange(samples.count(), torch::kInt64), at::kDouble);
    const at::Tensor inputs = all.inputs.flatten(1), targets = all.targets;
    at::Tensor weight = torch::empty({4, 9}, at::kDouble), bias = torch::empty({4}, at::kDouble);
    const auto elementOf = [&](std::int64_t j, std::size_t step) {
        return records[0].sink.metrics.at("weight/" + std::to_string(j))[step].value;
    };
    for (std::int64_t j = 0; j < 36; ++j) weight.view(-1)[j] = elementOf(j, 0);
    for (std::int64_t j = 0; j < 4; ++j) bias[j] = elementOf(36 + j, 0);
    std::vector<at::Tensor> tables(static_cast<std::size_t>(components), torch::zeros({40}, at::kDouble));
    at::Tensor x = torch::cat({weight.flatten(), bias}), mean = torch::zeros({40}, at::kDouble);
    for (std::int64_t k = 0; k < plan.totalSteps; ++k) {
        const std::int64_t j = k % components, begin = j * 16;
        const at::Tensor batch = inputs.slice(0, begin, begin + 16), labels = targets.slice(0, begin, begin + 16);
        // The mean over the batch of (softmax − one-hot) xᵀ.
        const at::Tensor logits = batch.matmul(x.slice(0, 0, 36).view({4, 9}).t()) + x.slice(0, 36);
        at::Tensor slope = torch::softmax(logits, 1);
        slope -= torch::one_hot(labels, 4);
        slope /= static_cast<double>(batch.size(0));
        const at::Tensor gradient = torch::cat({slope.t().matmul(batch).flatten(), slope.sum(0)});
        at::Tensor& last = tables[static_cast<std::size_t>(j)];
        x = x - 0.1 * (gradient - last + mean);
        mean = mean + (gradient - last) / static_cast<double>(components);
        last = gradient;
        double largest = 0;
        for (std::int64_t i = 0; i < 40; ++i) {
            const double difference = elementOf(i, static_cast<std::size_t>(k) + 1) - x[i].item<double>();
            largest = std::max(largest, std::abs(difference));
        }
        ASSERT_LT(largest, 1e-12) << "after step " << k + 1;
    }
    EXPECT_LT((mean - torch::stack(tables).mean(0)).abs().max().item<double>(), 1e-12);
}

TEST(AsyncSaga, WhatItCannotKeepGradientsOfIsRefused) {
    const auto saga = readExperiment(servedBy({.workers = 3}, "async_saga", {})).value().makeAlgorithm();
    const RunOutline good{.workers = 4, .parameterShapes = {{3}}};
    EXPECT_FALSE(saga->check(good));
    const auto fieldRefused = [&](const std::function<void(RunOutline&)>& change) {
        RunOutline facts = good;
        change(facts);
        const auto refused = saga->check(facts);
        return refused ? refused->field : "accepted";
    };
    EXPECT_EQ(fieldRefused([](RunOutline& facts) { facts.fixedBatches = 0; }), "data.shuffle");
    EXPECT_EQ(fieldRefused([](RunOutline& facts) { facts.optimizerState = 1; }), "optimizer.name");
    EXPECT_EQ(fieldRefused([](RunOutline& facts) { facts.decaysWeights = true; }), "optimizer.weight_decay");
    EXPECT_EQ(fieldRefused([](RunOutline& facts) { facts.clips = true; }), "train.gradient_clip");
    EXPECT_EQ(fieldRefused([](RunOutline& facts) { facts.sharesWork = true; }), "train.work");
    EXPECT_EQ(fieldRefused([](RunOutline& facts) {
                  facts.fixedBatches = 1000;
                  facts.hostBytes = 1000 * 3 * 4 - 1;
              }),
              "train.batch_size");
}

const AlgorithmTrial::Add kAsyncSagaTrial{{.algorithm = "async_saga", .repeats = false, .fixesBatches = true}};

}  // namespace
}  // namespace dasgd::test
