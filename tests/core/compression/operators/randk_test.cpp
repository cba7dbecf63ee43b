#include <gmock/gmock.h>

#include <cmath>

#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

const CompressorTrial::Add kRandkUnbiasedTrial{{.compressor = "randk",
                                                .fields = {{"ratio", number(0.3)}, {"unbiased", boolean(true)}},
                                                .what = "unbiased",
                                                .hidesNaN = true}};

TEST(Randk, SendsTheNumbersOfDrawnPlaces) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        const std::int64_t n = 1300, k = 130;
        const auto made = compressorOf("randk", {{"ratio", number(0.1)}});
        const at::Tensor x = randomVector(n, type);
        at::Tensor expected = at::zeros_like(x);
        Draws draws(5);
        std::int64_t chosen = 0;
        for (std::int64_t i = 0; i < n; ++i) {
            if (draws.next() * static_cast<double>(n - i) >= static_cast<double>(k - chosen)) continue;
            expected[i] = x[i];
            ++chosen;
        }
        EXPECT_EQ(chosen, k);
        EXPECT_TRUE(through(*made, x, 5).equal(expected));
        EXPECT_FALSE(through(*made, x, 6).equal(expected)) << "another exchange has other places";
    }
}

// The places are equally likely (SelectPlaces.ChoosesEverySetEquallyOften), so that n/k times a number, k times of n,
// is the number on average.
TEST(Randk, WithoutBiasMultipliesByTheShareThatIsLeftOut) {
    const at::Tensor x = randomVector(1000, at::kDouble);
    const Fields fields{{"ratio", number(0.3)}, {"unbiased", boolean(true)}};
    const at::Tensor sent = through(*compressorOf("randk", {{"ratio", number(0.3)}}), x);
    EXPECT_TRUE(through(*compressorOf("randk", fields), x).equal(sent * (1000.0 / 300)));
    EXPECT_FALSE(compressorOf("randk", fields)->properties().feedback);
    EXPECT_TRUE(compressorOf("randk")->properties().feedback);
}

TEST(Randk, TakesAValueEachAndNoPlaces) {
    const auto made = compressorOf("randk", {{"ratio", number(0.1)}});
    for (const std::int64_t size : {4, 8}) {
        for (const std::int64_t n : {1, 7, 8, 9, 511, 512, 513}) {
            EXPECT_EQ(made->messageBytes(n, size), std::max<std::int64_t>(1, (n + 9) / 10) * size);
        }
    }
    EXPECT_TRUE(made->properties().sums);
}

// All ranks draw alike, so that the sum of their messages is the message of the sum.
TEST(Randk, HasMessagesThatAddUp) {
    for (const auto type : {at::kFloat, at::kDouble}) {
        const auto made = compressorOf("randk", {{"ratio", number(0.1)}});
        const auto numbers = [&](const at::Tensor& x) {
            auto bytes = encodedBy(*made, x);
            return at::from_blob(bytes.data(), {std::ssize(bytes) / x.element_size()}, type).clone();
        };
        const at::Tensor x = randomVector(1300, type), y = randomVector(1300, type, 9);
        EXPECT_TRUE(numbers(x + y).equal(numbers(x) + numbers(y)));
    }
}

TEST(Randk, OfAllNumbersIsTheVector) {
    const at::Tensor x = randomVector(513, at::kFloat);
    EXPECT_TRUE(through(*compressorOf("randk", {{"ratio", number(1)}}), x).equal(x));
}

// algorithms.md D3: 1 − k/n on average over the places. Each coding leaves n − k of n equal numbers behind; of others,
// the mean of so many codings has a deviation of less than the whole over their root.
TEST(Randk, ContractsByTheShareThatItSendsOnAverage) {
    constexpr int kCodings = 3000;
    const auto made = compressorOf("randk", {{"ratio", number(0.3)}});
    for (const at::Tensor& x : vectorsForBounds(100, at::kDouble)) {
        double left = 0;
        for (int i = 0; i < kCodings; ++i) {
            left += squareOf(x - through(*made, x, static_cast<std::uint64_t>(i))) / kCodings;
        }
        EXPECT_NEAR(left, 0.7 * squareOf(x), 5 * squareOf(x) / std::sqrt(kCodings));
    }
}

}  // namespace
}  // namespace dasgd::test
