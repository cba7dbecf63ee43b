#include "core/models/sample_losses.h"

#include <gtest/gtest.h>

#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

TEST(SampleLosses, TheirMeanIsTheLossWhateverTheKindOfTarget) {
    struct Case {
        Loss loss;
        at::Tensor outputs, targets;
        double smoothing = 0;
    };
    const auto classes = torch::randint(0, 5, {6}, torch::kInt64), texts = torch::randint(0, 5, {6, 3}, torch::kInt64);
    const auto scores = torch::randn({6, 5}, torch::kDouble);
    for (const Case& each :
         {Case{Loss::kCrossEntropy, scores, classes}, Case{Loss::kCrossEntropy, scores, classes, 0.2},
          Case{Loss::kCrossEntropy, torch::randn({6, 3, 5}, torch::kDouble), texts},
          Case{Loss::kHinge, scores, classes}, Case{Loss::kHinge, scores.slice(1, 0, 1), classes.clamp(0, 1)},
          Case{Loss::kMeanSquaredError, scores, torch::randn({6, 5}, torch::kDouble)}}) {
        const at::Tensor losses = sampleLosses(each.loss, each.outputs, each.targets, each.smoothing);
        ASSERT_EQ(losses.sizes(), at::IntArrayRef({6}));
        const at::Tensor mean = meanLoss(each.loss, each.outputs, each.targets, each.smoothing);
        EXPECT_NEAR(losses.mean().item<double>(), mean.item<double>(), 1e-12);
        for (std::int64_t i = 0; i < 6; ++i) {
            const at::Tensor alone =
                meanLoss(each.loss, each.outputs.slice(0, i, i + 1), each.targets.slice(0, i, i + 1), each.smoothing);
            EXPECT_NEAR(losses[i].item<double>(), alone.item<double>(), 1e-12) << i;
        }
    }
}

// Networks whose samples do not depend on each other: mean of weight times gradient.
TEST(SampleLosses, WeightsMultiplyTheGradientsOfTheirSamples) {
    for (const char* name : {"logistic", "linear_svm", "mlp"}) {
        const InputSpec input{.shape = {6}, .classes = 3};
        const auto model = buildModel(name, input);
        model->module().to(torch::kDouble);
        Batch batch = randomBatch(input, 5, torch::kDouble);
        batch.weights = torch::tensor({0.5, 0.0, 3.0, 1.0, 0.25}, torch::kDouble);
        const at::Tensor weighed = gradientOf(*model, batch);
        at::Tensor expected = torch::zeros_like(weighed);
        for (std::int64_t i = 0; i < 5; ++i) {
            const Batch alone{batch.inputs.slice(0, i, i + 1), batch.targets.slice(0, i, i + 1)};
            expected += batch.weights[i] * gradientOf(*model, alone) / 5;
        }
        EXPECT_TRUE(weighed.allclose(expected, 1e-12, 1e-14)) << name;
    }
}

}  // namespace
}  // namespace dasgd::test
