// Every model on the stand-in accelerator against the same model on the processor: losses, gradients and evaluations,
// without a tensor that was left on the host and without the host waiting.
#include <gmock/gmock.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <set>

#include "core/models/default_generator.h"
#include "core/optimizers/optimizer.h"
#include "tests/support/gpu/host_device.h"
#include "tests/support/model_trials.h"
#include "tests/support/optimizers.h"

namespace dasgd::test {
namespace {

TEST(ModelTrials, EveryModelHasOne) {
    std::set<std::string> names;
    for (const ModelTrial& trial : ModelTrial::list()) {
        EXPECT_TRUE(names.insert(trial.model).second) << trial << " has two trials";
        EXPECT_TRUE(ModelRegistry::find(trial.model)) << trial << " is no model";
    }
    for (const std::string& model : ModelRegistry::names()) {
        EXPECT_TRUE(names.contains(model)) << model << ": its test registers no ModelTrial";
    }
}

class EveryModel : public ::testing::TestWithParam<ModelTrial> {
protected:
    static Batch batchOn(at::Device device, const InputSpec& input) {
        if (input.shape.empty()) return {};
        at::manual_seed(11);
        const Batch batch = randomBatch(input, 4);
        return {batch.inputs.to(device), batch.targets.to(device)};
    }
    static std::unique_ptr<Model> build(const ModelTrial& trial, at::Device device) {
        auto model = createModel(trial.model, trial.fields);
        at::manual_seed(3);
        const Status built =
            model->build({.input = trial.input, .rank = Rank{0}, .workers = 1, .random = makeGenerator(device, 5)});
        EXPECT_TRUE(built) << (built ? "" : built.error().message);
        return model;
    }
};

TEST_P(EveryModel, TrainsOnADeviceAsOnTheProcessor) {
    const ModelTrial trial = GetParam();
    const auto here = build(trial, at::kCPU), there = build(trial, kAccelerator);
    FlatParams ours(here->module(), at::kFloat), theirs(there->module(), at::kFloat, layoutOn(kAccelerator));
    const auto one = createOptimizer("sgd", {}), two = createOptimizer("sgd", {});
    const Batch hostBatch = batchOn(at::kCPU, trial.input), batch = batchOn(kAccelerator, trial.input);
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

        EXPECT_NEAR(asHost(loss.detach()).item<double>(), expected.item<double>(), trial.tolerance) << step;
        const at::Tensor weights = asHost(theirs.withoutPadding(theirs.weights()));
        EXPECT_LE((weights - ours.weights()).abs().max().item<double>(), trial.tolerance) << "step " << step;
    }
    (void)HostWaits::take();
    const Evaluation judged = there->evaluate(batch);
    EXPECT_THAT(HostWaits::take(), ::testing::IsEmpty()) << "sums stay on the device";
    const Evaluation expected = here->evaluate(hostBatch);
    EXPECT_NEAR(judged.lossSum, expected.lossSum, trial.tolerance * 10);
    EXPECT_EQ(static_cast<double>(judged.correct), static_cast<double>(expected.correct));
    EXPECT_EQ(judged.samples, expected.samples);
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryModel, ::testing::ValuesIn(ModelTrial::thatTrain()), modelTrialName);

}  // namespace
}  // namespace dasgd::test
