#include <c10/util/Half.h>
#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <random>

#include "core/compression/operators/small_floats.h"
#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

constexpr std::uint16_t kHalfInfinity = 0x7c00;

TEST(Fp16, WidensEveryNumberAsLibTorchDoes) {
    for (int bits = 0; bits < 0x10000; ++bits) {
        const auto number = static_cast<std::uint16_t>(bits);
        const float expected = c10::Half(number, c10::Half::from_bits());
        if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(Half::widen(number))) << bits;
        } else {
            ASSERT_EQ(std::bit_cast<std::uint32_t>(Half::widen(number)), std::bit_cast<std::uint32_t>(expected))
                << bits;
            ASSERT_EQ(narrowed<Half>(expected), number);
            ASSERT_EQ(narrowed<Half>(static_cast<double>(expected)), number);
        }
    }
}

TEST(Fp16, RoundsAsLibTorchDoes) {
    std::mt19937 engine(1);
    for (int i = 0; i < 300'000; ++i) {
        // Every other number lies where half precision has steps.
        std::uint32_t bits = engine();
        if (i % 2 == 0) bits = (bits & 0x8fffffff) | 0x30000000;
        const auto x = std::bit_cast<float>(bits);
        if (std::isnan(x)) {
            ASSERT_TRUE(std::isnan(Half::widen(narrowed<Half>(x))));
        } else {
            ASSERT_EQ(narrowed<Half>(x), c10::Half(x).x) << x;
        }
    }
}

// Half way between two neighbours the even one is taken, and beside it the nearer one: of float64 too, where rounding
// to float32 first would end half way.
TEST(Fp16, RoundsOnceAndTiesToEven) {
    for (std::uint16_t number = 0; number < kHalfInfinity; ++number) {
        const double below = Half::widen(number);
        const double above = number + 1 == kHalfInfinity ? 65536 : Half::widen(static_cast<std::uint16_t>(number + 1));
        const double middle = (below + above) / 2;
        const int even = number + number % 2;
        ASSERT_EQ(narrowed<Half>(middle), even);
        ASSERT_EQ(narrowed<Half>(static_cast<float>(middle)), even);
        ASSERT_EQ(narrowed<Half>(std::nextafter(middle, 0)), number);
        ASSERT_EQ(narrowed<Half>(std::nextafter(middle, 1e9)), number + 1);
        ASSERT_EQ(narrowed<Half>(-std::nextafter(middle, 1e9)), 0x8000 | (number + 1));
    }
    EXPECT_EQ(narrowed<Half>(1e30), kHalfInfinity);
    EXPECT_EQ(narrowed<Half>(-HUGE_VAL), 0x8000 | kHalfInfinity);
}

TEST(Fp16, CastsAVector) {
    const auto made = compressorOf("fp16");
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::Tensor x = randomVector(1001, type);
        EXPECT_TRUE(through(*made, x).equal(x.to(at::kFloat).to(at::kHalf).to(type)));
    }
    for (const std::int64_t n : {1, 7, 8, 9, 511, 512, 513}) {
        EXPECT_EQ(made->messageBytes(n, 4), 2 * n);
        EXPECT_EQ(made->messageBytes(n, 8), 2 * n);
    }
}

}  // namespace
}  // namespace dasgd::test
