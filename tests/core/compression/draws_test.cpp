#include "core/compression/draws.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace dasgd::test {
namespace {

TEST(Draws, AreTheUpperBitsOfTheStandardGenerator) {
    for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{5489}, ~std::uint64_t{0}}) {
        Draws draws(seed);
        std::mt19937_64 standard(seed);
        for (int i = 0; i < 5000; ++i) ASSERT_EQ(draws.next(), static_cast<double>(standard() >> 11) * 0x1p-53) << i;
    }
}

TEST(Draws, ComeInTheSameOrderInRows) {
    Draws rows(3), single(3);
    for (const std::int64_t count : {1, 311, 312, 313, 0, 1000, 7}) {
        std::vector<double> row(static_cast<std::size_t>(count));
        rows.fill(row.data(), count);
        for (const double u : row) ASSERT_EQ(u, single.next());
        ASSERT_EQ(rows.next(), single.next());
    }
}

// Every threshold of a choice of k of 4 is a number of twelfths, so that draws of 0, 1/12, … 11/12, all combinations of
// which are tried, stand for all of [0, 1).
TEST(SelectPlaces, ChoosesEverySetEquallyOften) {
    constexpr int kPlaces = 4, kGrid = 12, kAll = kGrid * kGrid * kGrid * kGrid;
    const int sets[] = {1, 4, 6, 4, 1};
    for (int chosen = 0; chosen <= kPlaces; ++chosen) {
        std::map<std::vector<std::int64_t>, int> found;
        for (int combination = 0; combination < kAll; ++combination) {
            int rest = combination;
            std::vector<std::int64_t> places;
            const auto fill = [&rest](double* u, std::int64_t count) {
                for (std::int64_t i = 0; i < count; ++i, rest /= kGrid) u[i] = rest % kGrid / double{kGrid};
            };
            selectPlaces(kPlaces, chosen, fill, [&](std::int64_t place) { places.push_back(place); });
            ASSERT_EQ(std::ssize(places), chosen);
            ASSERT_TRUE(std::ranges::is_sorted(places));
            ++found[places];
        }
        EXPECT_EQ(std::ssize(found), sets[chosen]);
        for (const auto& [places, times] : found) EXPECT_EQ(times * sets[chosen], kAll);
    }
}

TEST(SelectPlaces, MakesOneDrawAPlaceAndChoosesExactlySoMany) {
    for (const std::int64_t count : {1, 31, 32, 33, 1023, 1024, 1025, 5000}) {
        for (const std::int64_t chosen : {std::int64_t{0}, std::int64_t{1}, (count + 6) / 7, count / 2 + 1, count}) {
            std::vector<std::int64_t> places, expected;
            Draws draws(7), plain(7);
            selectPlaces(
                count, chosen, [&](double* u, std::int64_t n) { draws.fill(u, n); },
                [&](std::int64_t place) { places.push_back(place); });
            for (std::int64_t i = 0; i < count; ++i) {
                const auto left = static_cast<double>(count - i);
                const auto wanted = static_cast<double>(chosen - std::ssize(expected));
                if (plain.next() * left < wanted) expected.push_back(i);
            }
            EXPECT_EQ(places, expected);
            EXPECT_EQ(std::ssize(places), chosen);
            EXPECT_EQ(draws.next(), plain.next());
        }
    }
}

// The largest draw there is has to be taken where as many are wanted as are left.
TEST(SelectPlaces, TakesAllThatAreLeft) {
    int taken = 0;
    selectPlaces(
        1000, 1000, [](double* u, std::int64_t n) { std::fill_n(u, n, 1 - 0x1p-53); }, [&](std::int64_t) { ++taken; });
    EXPECT_EQ(taken, 1000);
}

}  // namespace
}  // namespace dasgd::test
