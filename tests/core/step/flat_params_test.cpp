#include "core/step/flat_params.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/step/gradient_feed.h"
#include "tests/support/document.h"
#include "tests/support/sim/networks.h"

namespace dasgd {
namespace {

const InputSpec kDigits{.shape = {1, 28, 28}, .classes = 10};
const InputSpec kColour{.shape = {3, 16, 16}, .classes = 10};

std::unique_ptr<Model> smallResNet() {
    return test::buildModel("resnet18", kColour, test::table({{"width", test::integer(4)}}));
}

TEST(FlatParamsTest, KeepsTheValuesInRegistrationOrder) {
    auto model = test::buildModel("lenet", kDigits);
    std::vector<at::Tensor> before;
    for (const at::Tensor& parameter : model->module().parameters())
        before.push_back(parameter.detach().flatten().clone());
    FlatParams flat(model->module(), at::kFloat);
    EXPECT_EQ(flat.size(), 61'706);
    EXPECT_EQ(flat.bytes(), 4 * 61'706);
    EXPECT_TRUE(flat.weights().equal(torch::cat(before)));
}

TEST(FlatParamsTest, WritingFlatWeightsChangesTheModule) {
    auto model = test::buildModel("lenet", kDigits);
    FlatParams flat(model->module(), at::kFloat);
    flat.weights().fill_(0.25);
    for (const at::Tensor& parameter : model->module().parameters()) {
        EXPECT_TRUE(parameter.eq(0.25).all().item<bool>());
    }
}

TEST(FlatParamsTest, SlotsTileTheFlatTensor) {
    auto model = smallResNet();
    FlatParams flat(model->module(), at::kFloat);
    std::int64_t offset = 0;
    for (const FlatParams::Slot& slot : flat.slots()) {
        EXPECT_EQ(slot.offset, offset);
        EXPECT_EQ(slot.parameter.data_ptr<float>(), flat.weights().data_ptr<float>() + offset);
        EXPECT_EQ(slot.parameter.grad().data_ptr<float>(), flat.gradients().data_ptr<float>() + offset);
        offset += slot.numel;
    }
    EXPECT_EQ(offset, flat.size());
}

// Two backward passes: the first must not replace the gradient tensors, the second must add to them.
TEST(FlatParamsTest, GradientsLandInTheFlatTensor) {
    auto model = test::buildModel("lenet", kDigits);
    auto plain = test::buildModel("lenet", kDigits);
    FlatParams flat(model->module(), at::kFloat);
    const Batch batch = test::randomBatch(kDigits, 4);
    for (int pass = 1; pass <= 2; ++pass) {
        model->loss(batch).backward();
        plain->loss(batch).backward();
        std::vector<at::Tensor> expected;
        for (const at::Tensor& parameter : plain->module().parameters()) expected.push_back(parameter.grad().flatten());
        EXPECT_TRUE(flat.gradients().allclose(torch::cat(expected), 1e-6, 1e-8)) << "pass " << pass;
        EXPECT_GT(flat.gradients().abs().sum().item<double>(), 0);
    }
}

TEST(FlatParamsTest, ConvertsWeightsAndStatistics) {
    auto model = smallResNet();
    FlatParams flat(model->module(), at::kDouble);
    EXPECT_EQ(flat.weights().scalar_type(), at::kDouble);
    for (const at::Tensor& buffer : flat.buffers()) EXPECT_EQ(buffer.scalar_type(), at::kDouble);
    model->loss(test::randomBatch(kColour, 2, at::kDouble)).backward();
    EXPECT_GT(flat.gradients().abs().sum().item<double>(), 0);
}

TEST(FlatParamsTest, ListsStatisticsButNeverTheirCount) {
    auto model = smallResNet();
    FlatParams flat(model->module(), at::kFloat);
    EXPECT_EQ(flat.buffers().size(), 20U * 2);
    const at::Tensor mean = model->module().named_buffers()["norm.running_mean"];
    flat.buffers()[0].fill_(3);
    EXPECT_TRUE(mean.eq(3).all().item<bool>()) << "buffers must be the module's own, not copies";
    for (const at::Tensor& buffer : flat.buffers()) EXPECT_TRUE(buffer.is_floating_point());
}

// One weight matrix used under two names, as in language models, and one layer used twice.
struct Tied final : torch::nn::Module {
    Tied() : weight(register_parameter("encoder", torch::ones({3, 3}).div_(4))), layer(torch::nn::Linear(3, 3)) {
        register_parameter("decoder", weight);
        register_module("first", layer);
        register_module("second", layer);
    }
    at::Tensor forward(const at::Tensor& x) { return layer(layer(x.matmul(weight))).matmul(weight.t()); }
    at::Tensor weight;
    torch::nn::Linear layer;
};

TEST(FlatParamsTest, TiedParametersHaveOneSlot) {
    torch::manual_seed(1);
    Tied tied;
    torch::manual_seed(1);
    Tied plain;
    ASSERT_EQ(tied.parameters().size(), 6U) << "LibTorch lists a parameter once a name";
    FlatParams flat(tied, at::kFloat);
    EXPECT_EQ(flat.slots().size(), 3U);
    EXPECT_EQ(flat.size(), 9 + 9 + 3);
    EXPECT_EQ(flat.bytes(), 4 * 21);

    GradientFeed feed(flat, nullptr);
    std::vector<int> told(3, 0);
    feed.listen([&](std::size_t slot) { ++told[slot]; });
    const at::Tensor x = torch::ones({2, 3});
    tied.forward(x).sum().backward();
    plain.forward(x).sum().backward();
    EXPECT_EQ(told, (std::vector<int>{1, 1, 1})) << "ready once all uses are summed up";
    EXPECT_TRUE(flat.gradients().allclose(torch::cat(
        {plain.weight.grad().flatten(), plain.layer->weight.grad().flatten(), plain.layer->bias.grad().flatten()})));
    flat.weights().zero_();
    EXPECT_EQ(tied.forward(x).abs().sum().item<float>(), 0) << "both uses see the flat tensor";
}

TEST(FlatParamsTest, APartSharesWhatItIsOf) {
    // A weight of 2 × 2 and a bias of 2.
    torch::nn::Linear layer(2, 2);
    FlatParams whole(*layer, torch::kDouble);
    const at::NoGradGuard guard;
    whole.weights().copy_(torch::arange(6, torch::kDouble));
    FlatParams part = FlatParams::partOf(whole, 1, torch::ones({4}, torch::kDouble));
    EXPECT_EQ(part.size(), 4);
    EXPECT_EQ(part.bytes(), 32);
    part.weights().sub_(part.gradients());
    EXPECT_TRUE(torch::equal(whole.weights(), torch::tensor({0.0, 0.0, 1.0, 2.0, 3.0, 5.0}, torch::kDouble)));
    EXPECT_TRUE(part.buffers().empty());
    ASSERT_EQ(part.slots().size(), 2U);
    EXPECT_EQ(part.slots()[0].offset, 0);
    EXPECT_EQ(part.slots()[0].parameter.sizes().vec(), (std::vector<std::int64_t>{3, 1})) << "still no bias";
    EXPECT_EQ(part.slots()[1].offset, 3);
    EXPECT_EQ(part.slots()[1].parameter.sizes().vec(), (std::vector<std::int64_t>{1}));
    EXPECT_EQ(part.slots()[1].parameter[0].item<double>(), 3);
    EXPECT_EQ(FlatParams::partOf(whole, 4, torch::ones({2}, torch::kDouble)).slots().size(), 1U) << "the bias alone";
}

TEST(FlatParamsTest, ACopyOfRangesIsApartFromWhatItIsOf) {
    // A weight of 2 × 2 and a bias of 2.
    torch::nn::Linear layer(2, 2);
    FlatParams whole(*layer, torch::kDouble);
    const at::NoGradGuard guard;
    whole.weights().copy_(torch::arange(6, torch::kDouble));
    FlatParams copy = FlatParams::copyOf(whole, {{1, 3}, {3, 3}, {3, 5}}, torch::ones({6}, torch::kDouble));
    EXPECT_EQ(copy.size(), 6);
    EXPECT_EQ(copy.parameters(), 4) << "what is behind the ranges is padding";
    EXPECT_TRUE(torch::equal(copy.weights(), torch::tensor({1.0, 2.0, 3.0, 4.0, 0.0, 0.0}, torch::kDouble)));
    copy.weights().sub_(copy.gradients());
    EXPECT_TRUE(torch::equal(whole.weights(), torch::arange(6, torch::kDouble)));
    ASSERT_EQ(copy.slots().size(), 3U) << "of a weight in two ranges there are two shares";
    EXPECT_EQ(copy.slots()[1].offset, 2);
    EXPECT_EQ(copy.slots()[1].parameter.sizes().vec(), (std::vector<std::int64_t>{1, 1})) << "still no bias";
    EXPECT_EQ(copy.slots()[2].offset, 3);
    EXPECT_EQ(copy.slots()[2].parameter.item<double>(), 3) << "4 − 1";
    copy.clearPadding(copy.weights());
    EXPECT_TRUE(torch::equal(copy.weights(), torch::tensor({0.0, 1.0, 2.0, 3.0, 0.0, 0.0}, torch::kDouble)));
}

TEST(FlatParamsTest, FrozenParametersStayOut) {
    auto model = test::buildModel("logistic", kDigits);
    model->module().parameters()[0].set_requires_grad(false);
    FlatParams flat(model->module(), at::kFloat);
    EXPECT_EQ(flat.size(), 10);
}

const FlatLayout kPadded{.alignment = 256};

TEST(FlatParamsTest, OnTheProcessorNothingIsPaddedUnlessAsked) {
    EXPECT_EQ(layoutOn(at::kCPU).alignment, 1);
    EXPECT_EQ(layoutOn(at::kCUDA).alignment, 256);
    const auto model = smallResNet();
    const FlatParams flat(model->module(), at::kFloat, layoutOn(at::kCPU));
    EXPECT_EQ(flat.size(), flat.parameters());
}

TEST(FlatParamsTest, PaddedSlotsAreAlignedAndPaddingIsNoParameter) {
    for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
        const auto model = smallResNet(), plain = smallResNet();
        FlatParams flat(model->module(), type, kPadded), packed(plain->module(), type);
        EXPECT_EQ(flat.parameters(), packed.size());
        EXPECT_GT(flat.size(), packed.size());
        std::int64_t element = 0;
        for (const FlatParams::Slot& slot : flat.slots()) {
            EXPECT_EQ(slot.offset * flat.weights().element_size() % 256, 0);
            EXPECT_EQ(flat.offsetOf(element), slot.offset);
            element += slot.numel;
        }
        EXPECT_EQ(flat.offsetOf(element), flat.size()) << "the last slot's padding belongs to what ends with it";
        EXPECT_TRUE(flat.withoutPadding(flat.weights()).equal(packed.weights()));
        EXPECT_EQ(flat.weights().abs().sum().item<double>(), packed.weights().abs().sum().item<double>());
        flat.weights().fill_(1);
        flat.clearPadding(flat.weights());
        EXPECT_EQ(flat.weights().sum().item<double>(), static_cast<double>(packed.size()));
    }
}

TEST(FlatParamsTest, APartOfPaddedSlotsHasItsParametersAlone) {
    torch::nn::Linear layer(2, 2);  // 4 and 2 elements, each in 64
    FlatParams whole(*layer, torch::kFloat, kPadded);
    ASSERT_EQ(whole.size(), 128);
    const FlatParams across = FlatParams::partOf(whole, 2, torch::ones({63}));
    ASSERT_EQ(across.slots().size(), 2U);
    EXPECT_EQ(across.slots()[0].numel, 2);
    EXPECT_EQ(across.slots()[1].offset, 62);
    EXPECT_EQ(across.slots()[1].numel, 1);
    EXPECT_EQ(across.parameters(), 3);
    EXPECT_TRUE(FlatParams::partOf(whole, 10, torch::ones({20})).slots().empty()) << "padding alone";
}

TEST(FlatParamsTest, ChannelsLastChangesWhereElementsLieAndNotWhatIsComputed) {
    for (const std::int64_t alignment : {1, 256}) {
        const auto model = smallResNet(), plain = smallResNet();
        FlatParams flat(model->module(), at::kDouble, {.alignment = alignment, .channelsLast = true});
        FlatParams packed(plain->module(), at::kDouble);
        for (const FlatParams::Slot& slot : flat.slots()) {
            if (slot.parameter.dim() < 4) continue;
            EXPECT_TRUE(slot.parameter.is_contiguous(at::MemoryFormat::ChannelsLast));
            EXPECT_TRUE(slot.parameter.grad().is_contiguous(at::MemoryFormat::ChannelsLast));
        }
        EXPECT_TRUE(flat.withoutPadding(flat.weights()).equal(packed.weights()));
        const Batch batch = test::randomBatch(kColour, 3, at::kDouble);
        plain->loss(batch).backward();
        const at::Tensor inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
        model->loss({inputs, batch.targets}).backward();
        EXPECT_TRUE(torch::allclose(flat.withoutPadding(flat.gradients()), packed.gradients(), 1e-9, 1e-12));
    }
}

}  // namespace
}  // namespace dasgd
