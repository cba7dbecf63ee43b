#include "core/comm/group_keys.h"

#include <gtest/gtest.h>

namespace dasgd::test {
namespace {

TEST(GroupKeys, AreOneGroupsAlone) {
    // Both have the same hash, in 31 bits.
    const std::string one = "/1,0,7,5,3,6,2,4#1", other = "/3,4,5,1,0,7,6,2#1";
    GroupKeys keys, reversed;
    EXPECT_EQ(keys.of(one), 725'264'090U);
    EXPECT_EQ(keys.of(other), 725'264'091U);
    EXPECT_EQ(keys.of(one), 725'264'090U) << "a group keeps its key";
    EXPECT_EQ(reversed.of(other), 725'264'090U);
    EXPECT_EQ(reversed.of(one), 725'264'091U);
}

TEST(GroupKeys, ArePositiveInTheUpperHalfOfASignedNumber) {
    GroupKeys keys;
    for (int group = 0; group < 100; ++group) {
        const std::uint64_t upper = std::uint64_t{keys.of("/" + std::to_string(group) + "#1")} << 32U;
        EXPECT_GT(static_cast<std::int64_t>(upper), 0) << "and 0 is the whole run's";
    }
}

}  // namespace
}  // namespace dasgd::test
