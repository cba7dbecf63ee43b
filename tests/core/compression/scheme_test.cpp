#include "core/compression/scheme.h"

#include <gmock/gmock.h>

#include <set>

#include "core/base/random.h"
#include "tests/support/compressed_exchanges.h"

namespace dasgd::test {
namespace {

TEST(ExchangeScheme, DrawsOthersForEachRankAndCoding) {
    const ExchangeView view{.seed = 3};
    std::set<std::uint64_t> seeds;
    for (const int rank : {kEveryRank, 0, 1, 2}) {
        for (const std::uint64_t counter : {0, 1, 2}) seeds.insert(codingSeed(view, rank, counter));
    }
    EXPECT_EQ(seeds.size(), 12U);
    EXPECT_EQ(codingSeed(view, 1, 2), streamSeed(3, 1, StreamPurpose::Compression, 2));
}

// Bytes that a rank gives in each stage, of 10 numbers in half precision on 4 ranks: a part has 3 of them.
TEST(ExchangeScheme, IsTheOneOfTheSettings) {
    const auto made = anyCompressorOf("fp16", {});
    ExchangeTrial trial{.name = "fp16", .segments = {{0, 10}}, .ranks = 4};
    const auto stagesOf = [&](const std::string& scheme) {
        trial.scheme = scheme;
        const auto exchange = made->makeScheme(trial.view(0));
        std::vector<std::int64_t> bytes;
        for (int stage = 0; stage < exchange->stages(); ++stage) bytes.push_back(exchange->bytes(stage));
        return bytes;
    };
    EXPECT_THAT(stagesOf("gather"), testing::ElementsAre(20));
    EXPECT_THAT(stagesOf("shard"), testing::ElementsAre(4 * 6, 6));
}

TEST(ExchangeScheme, OfPairsThereIsNone) {
    EXPECT_EQ(anyCompressorOf("lattice", {})->makeScheme(ExchangeTrial{.segments = {{0, 10}}}.view(0)), nullptr);
}

}  // namespace
}  // namespace dasgd::test
