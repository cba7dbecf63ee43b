// Seeds of random streams: one stream for each (run seed, rank, purpose), the same on every backend.
#pragma once

#include <cstdint>

namespace dasgd {

// Purpose of a random stream. Streams of different purposes have different seeds.
enum class StreamPurpose : std::uint8_t {
    Shuffle = 0,      // order of the samples; the counter is the pass
    Forward = 1,      // dropout masks and whatever else a model draws while it trains
    Algorithm = 2,    // StepContext::random() and StepContext::sharedRandom()
    Augment = 3,      // crops and mirrors of a batch; the counter is the batch
    Validation = 4,   // which samples are set apart
    Compression = 5,  // stochastic rounding, places and hashes of compressed exchanges; the counter is the coding
    Graph = 6,        // who mixes with whom in gossip; the counter is the round
    Draws = 7,        // samples that are drawn with replacement; the counter is the batch
};

// Used instead of a rank: the stream that is equal on all ranks.
inline constexpr int kEveryRank = -1;

// The output function of SplitMix64 (Steele, Lea, Flood 2014): inputs that differ in one bit give unrelated outputs.
[[nodiscard]] constexpr std::uint64_t mixBits(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

// Seed of a generator for one stream. `counter` numbers the generators that a purpose takes one after the other (below
// 2^48); streams that are drawn from continuously leave it at 0.
[[nodiscard]] constexpr std::uint64_t streamSeed(std::uint64_t runSeed, int rank, StreamPurpose purpose,
                                                 std::uint64_t counter = 0) {
    const std::uint64_t ofRank = mixBits(mixBits(runSeed) + static_cast<std::uint64_t>(std::int64_t{rank}));
    return mixBits(ofRank + (static_cast<std::uint64_t>(purpose) << 48) + counter);
}

}  // namespace dasgd
