#include "core/experiment/uneven_batches.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

namespace dasgd {
namespace {

using ::testing::ElementsAre;

using Sizes = std::vector<std::int64_t>;

TEST(UnevenBatches, EqualRatesGiveEqualBatches) {
    for (const int ranks : {1, 2, 3, 7, 64}) {
        for (const double rate : {1e-9, 0.1, 1234.5, 1e12}) {
            const Sizes expected(static_cast<std::size_t>(ranks), 17);
            EXPECT_EQ(batchesByRate(17 * ranks, std::vector<double>(static_cast<std::size_t>(ranks), rate)), expected);
        }
    }
}

TEST(UnevenBatches, SizesAreTheLargestRemainders) {
    EXPECT_THAT(batchesByRate(12, {2, 1, 1}), ElementsAre(6, 3, 3));
    // Quotas 4.28…, 2.85…, 2.85…: the two larger fractions take the two samples that the integer parts leave.
    EXPECT_THAT(batchesByRate(10, {3, 2, 2}), ElementsAre(4, 3, 3));
    EXPECT_THAT(batchesByRate(4, {1, 1, 1}), ElementsAre(2, 1, 1)) << "of equal fractions the lower rank's";
    EXPECT_THAT(batchesByRate(8, {1e9, 1, 1}), ElementsAre(6, 1, 1)) << "every rank has one at least";
    EXPECT_THAT(batchesByRate(3, {1e9, 1, 1}), ElementsAre(1, 1, 1));
}

TEST(UnevenBatches, SizesAddUpAndAreOffTheirQuotaByLessThanOne) {
    std::mt19937_64 random(7);
    std::lognormal_distribution<double> rates(0, 1);
    for (int trial = 0; trial < 500; ++trial) {
        std::vector<double> given(1 + random() % 9);
        for (double& rate : given) rate = rates(random);
        const auto total = static_cast<std::int64_t>(given.size() * (20 + random() % 500));
        const Sizes sizes = batchesByRate(total, given);
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), total);
        const double sum = std::accumulate(given.begin(), given.end(), 0.0);
        const auto quotaOf = [&](double rate) { return static_cast<double>(total) * rate / sum; };
        // A rank that is given its one sample takes it from another.
        const bool allHaveOne = quotaOf(*std::ranges::min_element(given)) >= 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            EXPECT_GE(sizes[i], 1);
            if (!allHaveOne) continue;
            EXPECT_LT(std::abs(static_cast<double>(sizes[i]) - quotaOf(given[i])), 1 + 1e-9) << trial;
        }
    }
}

TEST(UnevenBatches, EverySampleOfAStepIsDealtToOneRank) {
    for (const Sizes& sizes : {Sizes{3, 3, 3}, Sizes{5, 1, 2}, Sizes{1, 6}, Sizes{4}, Sizes{2, 7, 1, 7}}) {
        std::set<std::int64_t> seen;
        for (std::size_t rank = 0; rank < sizes.size(); ++rank) {
            const Sizes places = dealtPlaces(sizes, rank);
            EXPECT_EQ(std::ssize(places), sizes[rank]);
            EXPECT_TRUE(std::ranges::is_sorted(places));
            seen.insert(places.begin(), places.end());
        }
        const std::int64_t all = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        EXPECT_EQ(std::ssize(seen), all);
        EXPECT_EQ(*seen.begin(), 0);
        EXPECT_EQ(*seen.rbegin(), all - 1);
    }
}

TEST(UnevenBatches, EqualBatchesAreEveryPthSample) {
    EXPECT_THAT(dealtPlaces({4, 4, 4}, 1), ElementsAre(1, 4, 7, 10));
    EXPECT_THAT(dealtPlaces({3, 1, 2}, 0), ElementsAre(0, 3, 5));
    EXPECT_THAT(dealtPlaces({3, 1, 2}, 2), ElementsAre(2, 4));
}

}  // namespace
}  // namespace dasgd
