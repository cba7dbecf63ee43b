#include "core/datasets/sampling/sampler.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

namespace dasgd {
namespace {

std::vector<std::int64_t> draw(Sampler& sampler, int batches, std::int64_t batchSize) {
    std::vector<std::int64_t> all;
    for (int i = 0; i < batches; ++i) {
        const at::Tensor batch = sampler.next(batchSize);
        const auto* data = batch.const_data_ptr<std::int64_t>();
        all.insert(all.end(), data, data + batch.numel());
    }
    return all;
}

TEST(Sampler, EachPassSeesEverySampleOnceAcrossBatchBorders) {
    Sampler sampler(shardPasses({10, 11, 12, 13, 14, 15, 16}, true, 1, Rank{0}));
    const std::vector<std::int64_t> all = draw(sampler, 7, 3);  // 21 samples: three passes
    for (std::size_t pass = 0; pass < 3; ++pass) {
        std::map<std::int64_t, int> seen;
        for (std::size_t i = 0; i < 7; ++i) ++seen[all[pass * 7 + i]];
        for (std::int64_t sample = 10; sample <= 16; ++sample) EXPECT_EQ(seen[sample], 1) << "pass " << pass;
    }
}

TEST(Sampler, WhatIsSkippedIsAsIfItHadBeenTaken) {
    for (const std::int64_t skipped : {0, 1, 6, 7, 8, 14, 40}) {
        Sampler taken(shardPasses({10, 11, 12, 13, 14, 15, 16}, true, 1, Rank{0}));
        Sampler left(shardPasses({10, 11, 12, 13, 14, 15, 16}, true, 1, Rank{0}));
        if (skipped > 0) static_cast<void>(taken.next(skipped));
        left.skip(skipped);
        EXPECT_EQ(draw(taken, 5, 3), draw(left, 5, 3)) << skipped;
    }
}

TEST(Sampler, OrderDependsOnSeedRankAndPassAlone) {
    std::vector<std::int64_t> shard(100);
    for (std::size_t i = 0; i < shard.size(); ++i) shard[i] = static_cast<std::int64_t>(i);
    const auto order = [&](std::uint64_t seed, int rank) {
        Sampler sampler(shardPasses(shard, true, seed, Rank{rank}));
        return draw(sampler, 20, 10);
    };
    const auto base = order(1, 0);
    EXPECT_EQ(base, order(1, 0));
    EXPECT_NE(base, order(2, 0));
    EXPECT_NE(base, order(1, 1));
    EXPECT_NE(std::vector(base.begin(), base.begin() + 100), std::vector(base.begin() + 100, base.end()));
}

TEST(Sampler, ABatchLargerThanTheShardTakesSeveralPasses) {
    Sampler sampler(shardPasses({4, 5}, false, 1, Rank{0}));
    EXPECT_EQ(draw(sampler, 1, 5), (std::vector<std::int64_t>{4, 5, 4, 5, 4}));
    EXPECT_EQ(draw(sampler, 1, 2), (std::vector<std::int64_t>{5, 4})) << "goes on where the batch before ended";
}

TEST(Sampler, RowsOfAPassGoOnFromBatchToBatch) {
    // Two rows of three batches; sample 6 fills no row.
    Sampler sampler(rowPasses({10, 11, 12, 13, 14, 15, 16}, 2, 3));
    const std::vector<std::int64_t> pass{10, 13, 11, 14, 12, 15};
    EXPECT_EQ(draw(sampler, 3, 2), pass);
    EXPECT_EQ(draw(sampler, 3, 2), pass) << "again from the beginning";
}

}  // namespace
}  // namespace dasgd
