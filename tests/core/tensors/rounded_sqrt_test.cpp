#include "core/tensors/rounded_sqrt.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <bit>
#include <cmath>
#include <limits>

namespace dasgd {
namespace {

// The root rounded to float32 is that of the root in float64, whose own rounding never changes it (Figueroa 1995).
TEST(RoundedSqrt, IsTheNearestNumberWhateverTheProcessor) {
    at::Tensor numbers = torch::rand({100'003}, torch::kFloat32);
    const at::Tensor before = numbers.clone();
    takeRoot(numbers);
    const float* from = before.const_data_ptr<float>();
    const float* root = numbers.const_data_ptr<float>();
    for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        ASSERT_EQ(root[i], static_cast<float>(std::sqrt(static_cast<double>(from[i])))) << from[i];
    }
}

// The nearest number r to √x is the one for which (r − ½ulp)² <= x <= (r + ½ulp)², here in extended precision.
TEST(RoundedSqrt, IsTheNearestNumberInFloat64) {
    at::Tensor numbers = torch::rand({10'007}, torch::kFloat64);
    const at::Tensor before = numbers.clone();
    takeRoot(numbers);
    for (std::int64_t i = 0; i < numbers.numel(); ++i) {
        const double x = before[i].item<double>(), r = numbers[i].item<double>();
        const long double exact = std::sqrt(static_cast<long double>(x));
        const double below = std::nextafter(r, 0.0), above = std::nextafter(r, 2.0);
        ASSERT_LE(std::abs(exact - r), std::abs(exact - below)) << x;
        ASSERT_LE(std::abs(exact - r), std::abs(exact - above)) << x;
    }
}

TEST(RoundedSqrt, KeepsZeroInfinityAndWhatHasNoRoot) {
    at::Tensor numbers = torch::tensor({0.0F, -0.0F, std::numeric_limits<float>::infinity(), -1.0F});
    takeRoot(numbers);
    EXPECT_EQ(numbers[0].item<float>(), 0);
    EXPECT_TRUE(std::signbit(numbers[1].item<float>()));
    EXPECT_EQ(numbers[2].item<float>(), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(numbers[3].item<float>()));
}

TEST(RoundedSqrt, TakesOtherTypesAndLayoutsToo) {
    at::Tensor half = torch::full({3}, 4, torch::kBFloat16), columns = torch::full({4, 4}, 9.0).select(1, 2);
    takeRoot(half);
    takeRoot(columns);
    EXPECT_EQ(half[1].item<float>(), 2);
    EXPECT_TRUE(torch::equal(columns, torch::full({4}, 3.0)));
}

}  // namespace
}  // namespace dasgd
