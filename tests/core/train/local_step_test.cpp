#include "core/train/local_step.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

Experiment logistic() {
    return std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                           {"model", table({{"name", text("logistic")}})},
                                           {"train", table({{"batch_size", integer(8)}})},
                                           {"optimizer", table({{"name", text("sgd")}, {"momentum", number(0)}})},
                                           {"cluster", table({{"workers", integer(2)}})}}))
                         .value());
}

TEST(LocalStep, DescendsTheGradientOfItsOwnShard) {
    const Experiment experiment = logistic();
    const TrainingData data = loadTrainingData(experiment).value();
    const auto model = std::move(buildModel(experiment, data, Rank{1}).value());
    FlatParams params(model->module(), torch::kFloat);
    const auto optimizer = experiment.makeOptimizer();
    const auto step = makeLocalStep(experiment, data, *model, params, *optimizer, Rank{1});
    const at::Tensor before = params.weights().clone();
    step->load(8);
    step->forward({});
    step->backward();
    EXPECT_TRUE(params.weights().equal(before)) << "nothing moves before the update";
    step->update(0.5);
    EXPECT_TRUE(torch::allclose(params.weights(), before - 0.5 * params.gradients()));
    EXPECT_NEAR(step->loss()->read(), std::log(10.0), 0.5) << "of a classifier that knows nothing";
    step->load(8);
    step->forward({});
    EXPECT_TRUE(std::isfinite(step->loss()->read()));
}

// Of the last batch of an epoch the last micro-batch is short: every sample counts the same all the same.
TEST(LocalStep, MicroBatchesMakeTheGradientOfTheWholeBatch) {
    Experiment experiment = logistic();
    experiment.train.precision = "float64";
    const TrainingData data = loadTrainingData(experiment).value();
    const auto gradientOf = [&](const std::vector<std::int64_t>& parts, double& loss) {
        const auto model = std::move(buildModel(experiment, data, Rank{1}).value());
        FlatParams params(model->module(), torch::kDouble);
        params.gradients().fill_(7);  // of the step before
        const auto optimizer = experiment.makeOptimizer();
        const auto step = makeLocalStep(experiment, data, *model, params, *optimizer, Rank{1});
        std::int64_t before = 0;
        for (const std::int64_t samples : parts) {
            step->load(samples);
            step->forward({.samples = samples, .before = before, .of = 20});
            step->backward();
            before += samples;
        }
        loss = step->loss()->read();
        return params.gradients().clone();
    };
    double whole = 0, accumulated = 0;
    const at::Tensor expected = gradientOf({20}, whole);
    EXPECT_TRUE(torch::allclose(gradientOf({8, 8, 4}, accumulated), expected, 1e-12, 1e-14));
    EXPECT_NEAR(accumulated, whole, 1e-12);
}

TEST(IdleStep, ComputesNothingAndTellsOfEveryGradient) {
    FlatParams shapes = FlatParams::shapesOf({{5}, {3, 1}, {2}}, {}, torch::kFloat);
    GradientFeed feed(shapes, nullptr);
    const auto step = makeIdleStep(shapes, feed);
    step->backward();  // with nobody listening
    std::vector<std::size_t> order;
    feed.listen([&](std::size_t slot) { order.push_back(slot); });
    step->load(8);
    step->forward({});
    step->backward();
    step->update(0.1);
    EXPECT_THAT(order, ElementsAre(2, 1, 0));
    EXPECT_EQ(step->loss(), nullptr);
    EXPECT_EQ(shapes.size(), 10);
    EXPECT_TRUE(shapes.shapesOnly());
}

TEST(IdleStep, GoesThroughTheLayersForAlgorithmsThatAskForThem) {
    FlatParams shapes = FlatParams::shapesOf({{5}, {3}}, {}, torch::kFloat);
    GradientFeed feed(shapes, nullptr);
    const auto step = makeIdleStep(shapes, feed);
    std::vector<std::string> order;
    feed.listenToLayers({[&](std::size_t slot) { order.push_back("to " + std::to_string(slot)); },
                         [&](std::size_t slot) { order.push_back("back from " + std::to_string(slot)); }});
    step->forward({});
    step->backward();
    EXPECT_THAT(order, ElementsAre("to 0", "to 1", "back from 1", "back from 0"));
}

}  // namespace
}  // namespace dasgd::test
