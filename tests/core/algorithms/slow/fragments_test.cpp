#include "core/algorithms/slow/fragments.h"

#include <gmock/gmock.h>

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> sizesOf(const std::vector<Fragment>& fragments) {
    std::vector<std::int64_t> sizes;
    std::int64_t begin = 0;
    for (const Fragment& fragment : fragments) {
        EXPECT_EQ(fragment.begin, begin) << "one behind the other";
        begin = fragment.end;
        sizes.push_back(fragment.size());
    }
    return sizes;
}

TEST(Fragments, NoCutGoesThroughALayer) {
    // Two dense layers with a normalisation between them.
    EXPECT_THAT(indivisibleSizes({{8, 4}, {8}, {8}, {8}, {3, 8}, {3}}), ElementsAre(32 + 3 * 8, 24 + 3));
    EXPECT_THAT(indivisibleSizes({{5}, {4, 5}}), ElementsAre(25)) << "a vector ahead of the first layer is part of it";
    EXPECT_THAT(indivisibleSizes({{6, 3, 5, 5}, {6}, {10, 6}}), ElementsAre(456, 60));
}

TEST(Fragments, VectorsAreCutWhereThereIsNothingElse) {
    EXPECT_THAT(indivisibleSizes({{4}}), ElementsAre(1, 1, 1, 1)) << "elements of one vector";
    EXPECT_THAT(indivisibleSizes({{4}, {7}}), ElementsAre(4, 7));
}

TEST(Fragments, AreOfAboutEqualSize) {
    EXPECT_THAT(sizesOf(cutIntoFragments({1, 1, 1}, 1)), ElementsAre(3));
    EXPECT_THAT(sizesOf(cutIntoFragments({1, 1, 1}, 2)), ElementsAre(2, 1)) << "a tie goes to the later cut";
    EXPECT_THAT(sizesOf(cutIntoFragments({1, 1, 1, 1, 1, 1}, 3)), ElementsAre(2, 2, 2));
    EXPECT_THAT(sizesOf(cutIntoFragments({10, 20, 30, 40}, 2)), ElementsAre(60, 40));
    EXPECT_THAT(sizesOf(cutIntoFragments({5, 100, 5, 5, 5}, 2)), ElementsAre(105, 15));
}

TEST(Fragments, AreNeverEmpty) {
    EXPECT_THAT(sizesOf(cutIntoFragments({100, 1, 1}, 3)), ElementsAre(100, 1, 1));
    EXPECT_THAT(sizesOf(cutIntoFragments({1, 1, 100}, 3)), ElementsAre(1, 1, 100));
    EXPECT_THAT(sizesOf(cutIntoFragments({1, 100, 1, 1}, 3)), ElementsAre(1, 100, 2));
}

}  // namespace
}  // namespace dasgd::test
