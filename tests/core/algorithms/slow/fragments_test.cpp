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

std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> placesOf(
    const std::vector<std::vector<Fragment>>& fragments) {
    std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>> places;
    for (const auto& parts : fragments) {
        places.emplace_back();
        for (const Fragment& part : parts) places.back().emplace_back(part.begin, part.end);
    }
    return places;
}

TEST(Fragments, AreMadeUpOfNeighboursOrOfEveryFthPart) {
    using Parts = std::vector<std::pair<std::int64_t, std::int64_t>>;
    const std::vector<std::int64_t> sizes{10, 20, 30, 40, 5};
    EXPECT_THAT(placesOf(partsOfFragments(sizes, 2, false)),
                ElementsAre(Parts{{0, 10}, {10, 30}, {30, 60}}, Parts{{60, 100}, {100, 105}}));
    EXPECT_THAT(placesOf(partsOfFragments(sizes, 2, true)),
                ElementsAre(Parts{{0, 10}, {30, 60}, {100, 105}}, Parts{{10, 30}, {60, 100}}));
    EXPECT_THAT(placesOf(partsOfFragments(sizes, 1, true)),
                ElementsAre(Parts{{0, 10}, {10, 30}, {30, 60}, {60, 100}, {100, 105}}));
    EXPECT_THAT(placesOf({joined(partsOfFragments(sizes, 1, false)[0]), joined({{0, 3}, {5, 6}, {6, 9}}), joined({})}),
                ElementsAre(Parts{{0, 105}}, Parts{{0, 3}, {5, 9}}, Parts{}));
}

// Steps from 1 to 2H after which each fragment has its outer step, by the definition.
TEST(FragmentTurns, ComeOnceInARound) {
    for (const auto& [period, count] :
         std::vector<std::pair<std::int64_t, std::int64_t>>{{4, 2}, {100, 8}, {100, 36}, {7, 7}, {5, 1}, {9, 4}}) {
        for (const std::int64_t delay : {std::int64_t{0}, std::int64_t{1}, period - 1}) {
            if (delay >= period) continue;
            const FragmentTurns turns(period, count, delay);
            for (std::int64_t k = 1; k <= 2 * period; ++k) {
                std::optional<std::size_t> stepped, leaving;
                for (std::int64_t i = 0; i < count; ++i) {
                    const std::int64_t end = (i + 1) * period / count;
                    if (k % period == end % period) stepped = static_cast<std::size_t>(i);
                    if ((k + delay) % period == end % period) leaving = static_cast<std::size_t>(i);
                }
                EXPECT_EQ(turns.steppedAfter(k), stepped) << period << " " << count << " " << k;
                EXPECT_EQ(turns.leavingAfter(k), leaving) << period << " " << count << " " << k << " " << delay;
            }
        }
    }
    EXPECT_TRUE(FragmentTurns(6, 3, 1).oneAtATime());
    EXPECT_FALSE(FragmentTurns(6, 3, 2).oneAtATime());
    EXPECT_TRUE(FragmentTurns(100, 8, 11).oneAtATime());
    EXPECT_FALSE(FragmentTurns(100, 8, 12).oneAtATime());
}

}  // namespace
}  // namespace dasgd::test
