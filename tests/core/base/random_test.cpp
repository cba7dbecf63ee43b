#include "core/base/random.h"

#include <gtest/gtest.h>

#include <set>

namespace dasgd {
namespace {

TEST(Random, StreamsOfNeighbouringSeedsRanksPurposesAndPassesDiffer) {
    std::set<std::uint64_t> seeds;
    std::size_t count = 0;
    for (std::uint64_t run = 0; run < 5; ++run) {
        for (int rank = kEveryRank; rank < 16; ++rank) {
            for (const auto purpose : {StreamPurpose::Shuffle, StreamPurpose::Forward, StreamPurpose::Algorithm,
                                       StreamPurpose::Augment, StreamPurpose::Validation}) {
                for (std::uint64_t pass = 0; pass < 10; ++pass, ++count) {
                    // Generators of LibTorch take the low 32 bits alone.
                    seeds.insert(static_cast<std::uint32_t>(streamSeed(run, rank, purpose, pass)));
                }
            }
        }
    }
    EXPECT_EQ(seeds.size(), count);
}

TEST(Random, AStreamKeepsItsSeed) {
    // SplitMix64's reference output for the state 0, and the shuffles that published runs were made with.
    static_assert(mixBits(0) == 0xe220a8397b1dcdafULL);
    EXPECT_EQ(streamSeed(1, 3, StreamPurpose::Shuffle, 7), mixBits(mixBits(mixBits(1) + 3) + 7));
}

}  // namespace
}  // namespace dasgd
