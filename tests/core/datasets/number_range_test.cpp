#include "core/datasets/number_range.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace dasgd {
namespace {

TEST(FirstOutside, NamesTheFirstNumberThatIsNone) {
    const auto outside = [](const std::vector<std::int64_t>& numbers, at::ScalarType type) {
        return firstOutside(torch::tensor(numbers, torch::kLong).to(type), 10);
    };
    for (const at::ScalarType type : {torch::kLong, torch::kInt, torch::kShort, torch::kChar}) {
        EXPECT_FALSE(outside({0, 9, 5}, type));
        const auto below = outside({3, -1, 10, -2}, type), above = outside({0, 0, 10}, type);
        ASSERT_TRUE(below && above);
        EXPECT_EQ(below->sample, 1);
        EXPECT_EQ(below->value, -1);
        EXPECT_EQ(above->sample, 2);
        EXPECT_EQ(above->value, 10);
    }
    EXPECT_EQ(outside({0, 255}, torch::kByte)->value, 255) << "bytes are not negative";
    EXPECT_FALSE(firstOutside(torch::empty({0}, torch::kLong), 10));
}

TEST(FirstOutside, OfATextASampleHasManyNumbers) {
    const auto outside = firstOutside(torch::tensor({0, 1, 2, 3, 4, 50}, torch::kLong).view({2, 3}), 10);
    ASSERT_TRUE(outside);
    EXPECT_EQ(outside->sample, 1);
    EXPECT_EQ(outside->value, 50);
}

TEST(FirstNotFinite, NamesTheFirstSampleThatFloat32DoesNotHold) {
    const double infinite = std::numeric_limits<double>::infinity();
    for (const double wrong : {1e39, -1e39, 3.4028236e38, infinite, -infinite, std::nan("")}) {
        at::Tensor numbers = torch::zeros({200'000, 2}, torch::kDouble);
        EXPECT_FALSE(firstNotFinite(numbers));
        numbers[150'001][1] = wrong;
        numbers[199'999][0] = wrong;
        EXPECT_EQ(firstNotFinite(numbers), 150'001) << wrong;
    }
    EXPECT_FALSE(firstNotFinite(torch::tensor({3.4e38, -3.4e38, 1e-320}, torch::kDouble)));
    EXPECT_FALSE(firstNotFinite(torch::tensor({3.4028235e38, -3.402823466385289e38}, torch::kDouble)))
        << "the largest number of float32, as programs print it";
    EXPECT_EQ(firstNotFinite(torch::tensor({1.0, infinite}, torch::kHalf)), 1);
    EXPECT_FALSE(firstNotFinite(torch::zeros({0, 3})));
    EXPECT_FALSE(firstNotFinite(torch::ones({3}, torch::kLong))) << "integers are finite";
}

}  // namespace
}  // namespace dasgd
