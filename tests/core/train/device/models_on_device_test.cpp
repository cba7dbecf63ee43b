// Every model on the stand-in accelerator against the same model on the processor: losses, gradients and evaluations,
// without a tensor that was left on the host and without the host waiting.
#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include "core/models/default_generator.h"
#include "core/optimizers/optimizer.h"
#include "tests/support/gpu/host_device.h"
#include "tests/support/optimizers.h"

namespace dasgd::test {
namespace {

struct Small {
    std::string model;
    InputSpec input;
    Value fields = Value(Value::Table{});
    // Vectors of a kernel end elsewhere in padded slots, and what they leave over is rounded once less.
    double tolerance = 1e-7;
};

void PrintTo(const Small& small, std::ostream* out) { *out << small.model; }

InputSpec images(std::int64_t extent) { return {.shape = {3, extent, extent}, .classes = 5}; }
const InputSpec kText{.shape = {6}, .classes = 11, .task = Task::kLanguage};

// Not here, as their layers are all in others and their size is more than a test may take: vgg16, vgg_a, overfeat_fast
// (alexnet's), cd_dnn (mlp's). layer_table computes nothing.
std::vector<Small> smallModels() {
    const Value narrow = table({{"width", integer(4)}});
    return {{"alexnet", images(63)},
            {"densenet121", images(61)},
            {"googlenet", images(47)},
            {"lenet", images(12)},
            {"linear_svm", {.shape = {6}, .classes = 4}},
            {"logistic", {.shape = {6}, .classes = 4}},
            {"mlp", {.shape = {6}, .classes = 4}, table({{"dropout", number(0.4)}})},
            {"mobilenet_v2", images(33), table({{"width_multiplier", number(0.25)}})},
            {"random_features", {.shape = {8}, .classes = 2, .task = Task::kRegression}},
            {"resnet18", images(16), narrow},
            {"resnet20", images(8)},
            {"resnet50", images(33), narrow},
            {"wide_resnet_28_10", images(8), table({{"widen", integer(1)}, {"dropout", number(0.3)}})},
            {"gpt", kText, table({{"layers", integer(2)}, {"dropout", number(0.2)}}), 1e-5},
            {"char_lstm", kText, table({{"width", integer(8)}, {"dropout", number(0.2)}}), 1e-5},
            {"quadratic",
             {},
             table({{"matrix", matrix({{1, 0}, {0, 2}})}, {"targets", matrix({{1, 1}})}, {"noise", number(0.3)}})}};
}

class EveryModel : public ::testing::TestWithParam<Small> {
protected:
    static Batch batchOn(at::Device device, const InputSpec& input) {
        if (input.shape.empty()) return {};
        at::manual_seed(11);
        const Batch batch = randomBatch(input, 4);
        return {batch.inputs.to(device), batch.targets.to(device)};
    }
    static std::unique_ptr<Model> build(const Small& small, at::Device device) {
        auto model = createModel(small.model, small.fields);
        at::manual_seed(3);
        const Status built =
            model->build({.input = small.input, .rank = Rank{0}, .workers = 1, .random = makeGenerator(device, 5)});
        EXPECT_TRUE(built) << (built ? "" : built.error().message);
        return model;
    }
};

TEST_P(EveryModel, TrainsOnADeviceAsOnTheProcessor) {
    const Small small = GetParam();
    const auto here = build(small, at::kCPU), there = build(small, kAccelerator);
    FlatParams ours(here->module(), at::kFloat), theirs(there->module(), at::kFloat, layoutOn(kAccelerator));
    const auto one = createOptimizer("sgd", {}), two = createOptimizer("sgd", {});
    const Batch hostBatch = batchOn(at::kCPU, small.input), batch = batchOn(kAccelerator, small.input);
    here->beginPass(true);
    there->beginPass(true);
    for (int step = 0; step < 3; ++step) {
        ours.gradients().zero_();
        const at::Tensor expected = here->loss(hostBatch);
        expected.backward();
        one->step(ours, 0.01);

        (void)HostWaits::take();
        theirs.gradients().zero_();
        const at::Tensor loss = there->loss(batch);
        loss.backward();
        two->step(theirs, 0.01);
        // Tables that are no parameters move to the device in the first pass.
        const std::vector<std::string> waits = HostWaits::take();
        EXPECT_TRUE(step == 0 || waits.empty()) << ::testing::PrintToString(waits);

        EXPECT_NEAR(asHost(loss.detach()).item<double>(), expected.item<double>(), small.tolerance) << step;
        const at::Tensor weights = asHost(theirs.withoutPadding(theirs.weights()));
        EXPECT_LE((weights - ours.weights()).abs().max().item<double>(), small.tolerance) << "step " << step;
    }
    (void)HostWaits::take();
    const Evaluation judged = there->evaluate(batch);
    EXPECT_THAT(HostWaits::take(), ::testing::IsEmpty()) << "sums stay on the device";
    const Evaluation expected = here->evaluate(hostBatch);
    EXPECT_NEAR(judged.lossSum, expected.lossSum, small.tolerance * 10);
    EXPECT_EQ(static_cast<double>(judged.correct), static_cast<double>(expected.correct));
    EXPECT_EQ(judged.samples, expected.samples);
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryModel, ::testing::ValuesIn(smallModels()),
                         [](const auto& info) { return info.param.model; });

// Every optimiser on padded slots: parameters as on packed ones, padding 0, no wait.
class EveryOptimizer : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizer, StepsPaddedSlotsOnADevice) {
    for (const char* noDecay : {"none", "bias-norm"}) {
        const Value fields = table({{"no_decay", text(noDecay)}, {"weight_decay", number(0.1)}});
        const auto one = createOptimizer(GetParam(), fields), two = createOptimizer(GetParam(), fields);
        const auto here = optimizedNetwork(), there = optimizedNetwork();
        FlatParams ours(here->module(), at::kDouble), theirs(there->module(), at::kDouble, layoutOn(kAccelerator));
        ASSERT_GT(theirs.size(), theirs.parameters());
        for (int step = 0; step < 5; ++step) {
            const Batch batch = randomBatch(kOptimizerInput, 8, at::kDouble);
            ours.gradients().zero_();
            here->loss(batch).backward();
            one->step(ours, 0.05);
            theirs.gradients().zero_();
            there->loss({batch.inputs.to(kAccelerator), batch.targets.to(kAccelerator)}).backward();
            (void)HostWaits::take();
            two->step(theirs, 0.05);
            EXPECT_THAT(HostWaits::take(), ::testing::IsEmpty());
        }
        EXPECT_TRUE(torch::allclose(asHost(theirs.withoutPadding(theirs.weights())), ours.weights(), 1e-12, 1e-14));
        const at::Tensor before = theirs.weights().clone();
        theirs.clearPadding(theirs.weights());
        EXPECT_TRUE(asHost(before).equal(asHost(theirs.weights()))) << "padding is 0";
        for (const at::Tensor& state : two->state()) EXPECT_EQ(state.device(), kAccelerator);
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryOptimizer, ::testing::ValuesIn(OptimizerRegistry::names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
