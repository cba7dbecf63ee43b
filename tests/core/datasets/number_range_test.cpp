#include "core/datasets/number_range.h"

#include <gtest/gtest.h>
#include <torch/types.h>

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

}  // namespace
}  // namespace dasgd
