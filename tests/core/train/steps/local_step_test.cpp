#include "core/train/steps/local_step.h"

#include <ATen/autocast_mode.h>
#include <gmock/gmock.h>
#include <torch/nn/module.h>
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
    step->load({.samples = 8, .of = 8});
    step->forward({});
    step->backward();
    EXPECT_TRUE(params.weights().equal(before)) << "nothing moves before the update";
    step->update(0.5);
    EXPECT_TRUE(torch::allclose(params.weights(), before - 0.5 * params.gradients()));
    EXPECT_NEAR(step->loss().item<double>(), std::log(10.0), 0.5) << "of a classifier that knows nothing";
    step->load({.samples = 8, .of = 8});
    step->forward({});
    EXPECT_TRUE(std::isfinite(step->loss().item<double>()));
}

// Model that records the batches it is trained on, and after how many of them a pass began.
class NotingModel final : public Model {
public:
    NotingModel() { weight_ = net_.register_parameter("weight", torch::zeros({1})); }
    Status build(const BuildContext&) override { return {}; }
    torch::nn::Module& module() override { return net_; }
    at::Tensor loss(const Batch& batch) override {
        seen.push_back(batch.inputs);
        return weight_.sum();
    }
    Evaluation evaluate(const Batch&) override { return {}; }
    void beginPass(bool training) override {
        EXPECT_TRUE(training);
        passes.push_back(seen.size());
    }
    InputSpec naturalInput() const override { return {{4}, 41, Task::kLanguage}; }
    std::vector<at::Tensor> seen;
    std::vector<std::size_t> passes;

private:
    torch::nn::Module net_;
    at::Tensor weight_;
};

TEST(LocalStep, GoesThroughATextInRowsAndSaysWhenAnEpochBegins) {
    const Experiment experiment = std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                                                  {"model", table({{"name", text("logistic")}})},
                                                                  {"data", table({{"name", text("text")}})},
                                                                  {"train", table({{"batch_size", integer(2)}})},
                                                                  {"cluster", table({{"workers", integer(2)}})}}))
                                                .value());
    // Ten samples of four tokens; each rank has five and trains on two rows of two.
    TrainingData data;
    data.splits.train = cutText(torch::arange(41, torch::kInt32), 4);
    data.shards = {{0, 1, 2, 3, 4}, {5, 6, 7, 8, 9}};
    NotingModel model;
    FlatParams params(model.module(), torch::kFloat);
    const auto optimizer = experiment.makeOptimizer();
    const auto step = makeLocalStep(experiment, data, model, params, *optimizer, Rank{1});
    for (int i = 0; i < 4; ++i) {
        step->load({.samples = 2, .of = 2});
        step->forward({});
    }
    EXPECT_THAT(model.passes, ElementsAre(0U, 2U));
    EXPECT_TRUE(model.seen[0].equal(torch::tensor({{20, 21, 22, 23}, {28, 29, 30, 31}}, torch::kInt64)));
    EXPECT_TRUE(model.seen[1].equal(model.seen[0] + 4)) << "each row goes on";
    EXPECT_TRUE(model.seen[2].equal(model.seen[0])) << "the next epoch";
    EXPECT_TRUE(model.seen[3].equal(model.seen[1]));
}

// The last batch of an epoch has a short micro-batch at its end; every sample counts the same all the same.
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
            const MicroBatch part{.samples = samples, .before = before, .of = 20};
            step->load(part);
            step->forward(part);
            step->backward();
            before += samples;
        }
        loss = step->loss().item<double>();
        return params.gradients().clone();
    };
    double whole = 0, accumulated = 0;
    const at::Tensor expected = gradientOf({20}, whole);
    EXPECT_TRUE(torch::allclose(gradientOf({8, 8, 4}, accumulated), expected, 1e-12, 1e-14));
    EXPECT_NEAR(accumulated, whole, 1e-12);
}

// Loss and gradients of one step of LeNet on the processor, with `key` of [train] set to `value`.
struct OneStep {
    double loss = 0;
    at::Tensor gradients;
};
OneStep oneStepOf(const char* key, Value value) {
    Value train = table({{"batch_size", integer(16)}});
    train.set(key, std::move(value));
    const Experiment experiment = std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                                                  {"model", table({{"name", text("lenet")}})},
                                                                  {"train", std::move(train)},
                                                                  {"cluster", table({{"workers", integer(2)}})}}))
                                                .value());
    const TrainingData data = loadTrainingData(experiment).value();
    const auto model = std::move(buildModel(experiment, data, Rank{1}).value());
    FlatParams params(model->module(), torch::kFloat, flatLayoutOf(experiment));
    const auto optimizer = experiment.makeOptimizer();
    const auto step = makeLocalStep(experiment, data, *model, params, *optimizer, Rank{1});
    step->load({.samples = 16, .of = 16});
    step->forward({});
    EXPECT_FALSE(at::autocast::is_autocast_enabled(at::kCPU)) << "the forward pass alone";
    step->backward();
    return {step->loss().item<double>(), params.withoutPadding(params.gradients()).clone()};
}

double distance(const at::Tensor& a, const at::Tensor& b) { return ((a - b).norm() / b.norm()).item<double>(); }

TEST(LocalStep, AutocastRoundsToBfloat16AndNoFurther) {
    const OneStep plain = oneStepOf("autocast", text("off")), cast = oneStepOf("autocast", text("bfloat16"));
    EXPECT_NE(cast.loss, plain.loss);
    EXPECT_NEAR(cast.loss, plain.loss, 0.01 * plain.loss);
    EXPECT_EQ(cast.gradients.scalar_type(), torch::kFloat);
    EXPECT_GT(distance(cast.gradients, plain.gradients), 1e-4) << "8 bits of mantissa";
    EXPECT_LT(distance(cast.gradients, plain.gradients), 0.1);
}

TEST(LocalStep, ChannelsLastComputesTheSame) {
    const OneStep plain = oneStepOf("channels_last", boolean(false)), last = oneStepOf("channels_last", boolean(true));
    EXPECT_NEAR(last.loss, plain.loss, 1e-5);
    EXPECT_LT(distance(last.gradients, plain.gradients), 1e-4);
}

TEST(IdleStep, ComputesNothingAndTellsOfEveryGradient) {
    FlatParams shapes = FlatParams::shapesOf({{5}, {3, 1}, {2}}, {}, torch::kFloat);
    GradientFeed feed(shapes, nullptr);
    const auto step = makeIdleStep(shapes, feed);
    step->backward();  // with nobody listening
    std::vector<std::size_t> order;
    feed.listen([&](std::size_t slot) { order.push_back(slot); });
    step->load({.samples = 8, .of = 8});
    step->forward({});
    step->backward();
    step->update(0.1);
    EXPECT_THAT(order, ElementsAre(2, 1, 0));
    EXPECT_FALSE(step->loss().defined());
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
