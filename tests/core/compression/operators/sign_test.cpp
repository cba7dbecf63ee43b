// One bit a number: bytes, values, and how far the result is from what went in.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "core/compression/compressor.h"
#include "tests/support/document.h"

namespace dasgd::test {
namespace {

std::unique_ptr<Compressor> makeSign(Fields fields) {
    return CompressorRegistry::find("sign")->create(table(std::move(fields)), {}).value();
}

at::Tensor throughSign(Fields fields, const at::Tensor& x) {
    const auto made = makeSign(std::move(fields));
    const auto& sign = dynamic_cast<const MessageCompressor&>(*made);
    std::vector<std::byte> message(static_cast<std::size_t>(sign.messageBytes(x.numel(), x.element_size())));
    Draws draws(1);
    sign.encode(x, message.data(), draws);
    at::Tensor out = at::zeros_like(x);
    sign.decode(message.data(), 1, out, draws);
    return out;
}

TEST(Sign, SendsABitANumberAndAScale) {
    const auto made = makeSign({});
    const auto voting = makeSign({{"vote", Value(true)}, {"scale", text("one")}});
    for (const std::int64_t n : {1, 7, 8, 9, 511, 512, 513}) {
        for (const std::int64_t bytes : {4, 8}) {
            EXPECT_EQ(dynamic_cast<const MessageCompressor&>(*made).messageBytes(n, bytes), (n + 7) / 8 + 4);
            EXPECT_EQ(dynamic_cast<const MessageCompressor&>(*voting).messageBytes(n, bytes), (n + 7) / 8);
        }
    }
}

TEST(Sign, KeepsSignsAndTheSizeThatItsScaleSays) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::Tensor x = torch::tensor({3.0, -1.0, 0.0, -2.0, 4.0, 0.5, -0.5, 1.0, -4.0, 2.0}, type);
        const at::Tensor signs = torch::tensor({1, -1, 1, -1, 1, 1, -1, 1, -1, 1}, type);
        const double l1 = 18.0 / 10, l2 = std::sqrt((9 + 1 + 0 + 4 + 16 + 0.25 + 0.25 + 1 + 16 + 4) / 10);
        EXPECT_TRUE(throughSign({}, x).equal(signs * static_cast<float>(l1)));
        EXPECT_TRUE(throughSign({{"scale", text("l2")}}, x).equal(signs * static_cast<float>(l2)));
        EXPECT_TRUE(throughSign({{"scale", text("one")}}, x).equal(signs));
        EXPECT_TRUE(throughSign({}, at::zeros({9}, type)).equal(at::zeros({9}, type)));
    }
}

// algorithms.md D3: with scale l1, ‖x − C(x)‖² = (1 − ‖x‖₁²/(n‖x‖₂²))·‖x‖₂², less than that of nothing; with l2 a
// spike is further away than nothing.
TEST(Sign, ContractsWithTheMeanSizeAndNotWithTheRootMeanSquare) {
    at::Tensor spike = at::full({1000}, 1e-3, at::kDouble);
    spike[17] = 1;
    for (const at::Tensor& x : {at::randn({1000}, at::kDouble), spike, at::ones({1000}, at::kDouble)}) {
        const double size = x.square().sum().item<double>();
        const double l1 = x.abs().sum().item<double>();
        const double left = (x - throughSign({}, x)).square().sum().item<double>();
        EXPECT_NEAR(left, size - l1 * l1 / 1000, 1e-6 * size);
        EXPECT_LT(left, size);
    }
    const double size = spike.square().sum().item<double>();
    EXPECT_GT((spike - throughSign({{"scale", text("l2")}}, spike)).square().sum().item<double>(), size);
}

TEST(Sign, AVoteWithAnotherScaleIsRefused) {
    const auto made = CompressorRegistry::find("sign")->create(table({{"vote", Value(true)}}), {});
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("set scale = \"one\""), std::string::npos) << made.error().message;
}

}  // namespace
}  // namespace dasgd::test
