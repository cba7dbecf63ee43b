#include "core/models/dropout.h"

#include <ATen/CPUGeneratorImpl.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/document.h"
#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

at::Generator stream(std::uint64_t seed) { return at::detail::createCPUGenerator(seed); }

TEST(Dropout, DropsTheShareAndScalesTheRest) {
    Dropout dropout(0.25, stream(1));
    const at::Tensor ones = torch::ones({100'000});
    const at::Tensor out = dropout.forward(ones);
    EXPECT_TRUE(((out == 0) | (out - 1 / 0.75).abs().lt(1e-6)).all().item<bool>());
    EXPECT_NEAR(out.eq(0).to(at::kFloat).mean().item<float>(), 0.25, 0.01) << "seven standard deviations";
    dropout.eval();
    EXPECT_TRUE(dropout.forward(ones).equal(ones));
}

TEST(Dropout, PassesTheGradientOfWhatItKeeps) {
    Dropout dropout(0.5, stream(2));
    const at::Tensor x = torch::ones({50}).requires_grad_();
    const at::Tensor out = dropout.forward(x);
    out.sum().backward();
    EXPECT_TRUE(x.grad().equal(out.detach()));
}

TEST(Dropout, DrawsFromItsStreamWhateverTheThreads) {
    const auto masks = [](std::uint64_t seed, int threads) {
        at::set_num_threads(threads);
        Dropout dropout(0.5, stream(seed));
        const at::Tensor ones = torch::ones({100'000});
        const at::Tensor both = torch::stack({dropout.forward(ones), dropout.forward(ones)});
        at::set_num_threads(1);
        return both;
    };
    const at::Tensor two = masks(3, 1);
    EXPECT_FALSE(two[0].equal(two[1])) << "a new mask each time";
    EXPECT_TRUE(two.equal(masks(3, 4)));
    EXPECT_FALSE(two.equal(masks(4, 1)));
}

// A share of 1 would leave nothing to scale.
TEST(Dropout, IsAShareBelowOneInEveryModelThatHasIt) {
    int models = 0;
    for (const auto& [name, entry] : ModelRegistry::entries()) {
        const auto takes = [&entry = entry](double share) {
            return entry.resolve(test::table({{"dropout", test::number(share)}}), {}).has_value();
        };
        const auto field = std::ranges::find(entry.fields, "dropout", &FieldInfo::name);
        if (field == entry.fields.end()) continue;
        ++models;
        EXPECT_TRUE(field->spec.help.starts_with("Share of ")) << name;
        EXPECT_TRUE(takes(0) && takes(0.99)) << name;
        EXPECT_FALSE(takes(1) || takes(-0.01)) << name;
    }
    EXPECT_GE(models, 8);
}

// A number that a model draws in loss() from LibTorch's default generator would differ between the backends.
class DrawingTest : public ::testing::TestWithParam<test::ModelTrial> {};

TEST_P(DrawingTest, DoesNotDrawFromTheDefaultGenerator) {
    const test::ModelTrial& trial = GetParam();
    const InputSpec input =
        trial.leftOut.empty() ? trial.input : test::createModel(trial.model, trial.fields)->naturalInput();
    const auto model = test::buildModel(trial.model, input, trial.fields);
    const Batch batch = input.shape.empty() ? Batch{} : test::randomBatch(input, 2);
    const at::Tensor before = at::detail::getDefaultCPUGenerator().get_state();
    (void)model->loss(batch);
    EXPECT_TRUE(before.equal(at::detail::getDefaultCPUGenerator().get_state()));
}

// Models that compute, without torchscript, which is what its file is: torchscript_test asks the same of one that
// draws.
std::vector<test::ModelTrial> drawingModels() {
    std::vector<test::ModelTrial> trials = test::ModelTrial::list();
    std::erase_if(trials, [](const test::ModelTrial& trial) {
        return trial.model == "layer_table" || trial.model == "torchscript";
    });
    return trials;
}

INSTANTIATE_TEST_SUITE_P(Models, DrawingTest, ::testing::ValuesIn(drawingModels()), test::modelTrialName);

}  // namespace
}  // namespace dasgd
