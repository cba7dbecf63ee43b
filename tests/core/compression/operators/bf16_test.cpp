#include <c10/util/BFloat16.h>
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/compression/operators/small_floats.h"
#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

constexpr std::uint16_t kBrainInfinity = 0x7f80;

TEST(Bf16, EveryNumberComesBack) {
    for (int bits = 0; bits < 0x10000; ++bits) {
        const auto number = static_cast<std::uint16_t>(bits);
        const float wide = BFloat16::widen(number);
        if (std::isnan(wide)) {
            ASSERT_TRUE(std::isnan(BFloat16::widen(narrowed<BFloat16>(wide))));
        } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(wide), static_cast<std::uint32_t>(bits) << 16);
            ASSERT_EQ(narrowed<BFloat16>(wide), number);
            ASSERT_EQ(narrowed<BFloat16>(static_cast<double>(wide)), number);
        }
    }
}

TEST(Bf16, RoundsAsLibTorchDoes) {
    std::mt19937 engine(1);
    for (int i = 0; i < 300'000; ++i) {
        const auto x = std::bit_cast<float>(static_cast<std::uint32_t>(engine()));
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(BFloat16::widen(narrowed<BFloat16>(x))));
        } else {
            ASSERT_EQ(narrowed<BFloat16>(x), c10::BFloat16(x).x) << x;
        }
    }
}

TEST(Bf16, RoundsOnceAndTiesToEven) {
    for (std::uint16_t number = 0; number < kBrainInfinity; ++number) {
        const double below = BFloat16::widen(number);
        const double above =
            number + 1 == kBrainInfinity ? 0x1p128 : BFloat16::widen(static_cast<std::uint16_t>(number + 1));
        const double middle = (below + above) / 2;
        ASSERT_EQ(narrowed<BFloat16>(middle), number + number % 2);
        ASSERT_EQ(narrowed<BFloat16>(std::nextafter(middle, 0)), number);
        ASSERT_EQ(narrowed<BFloat16>(std::nextafter(middle, 1e300)), number + 1);
    }
}

TEST(Bf16, CastsAVector) {
    const auto made = compressorOf("bf16");
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::Tensor x = randomVector(1001, type);
        EXPECT_TRUE(through(*made, x).equal(x.to(at::kFloat).to(at::kBFloat16).to(type)));
    }
    for (const std::int64_t n : {1, 7, 8, 9, 511, 512, 513}) {
        EXPECT_EQ(made->messageBytes(n, 4), 2 * n);
        EXPECT_EQ(made->messageBytes(n, 8), 2 * n);
    }
}

}  // namespace
}  // namespace dasgd::test
