#include "gui/run/model/rank_series_query.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(RankSeriesQuery, DeliversEveryRankAndThenOnlyWhatIsNew) {
    LiveBench bench;
    const QString id = bench.workspace.record({.ranks = 3, .steps = 20});
    bench.know();
    bench.store.setWatch({id, {}});
    RankSeriesQuery query;
    std::vector<RankBatch> batches;
    QObject::connect(&query, &RankSeriesQuery::arrived, [&](const RankBatch& batch) { batches.push_back(batch); });
    bench.refresh(query);
    EXPECT_TRUE(batches.empty()) << "nobody asked";
    query.want("train/loss");
    bench.refresh(query);
    ASSERT_EQ(batches.size(), 1U);
    EXPECT_TRUE(batches[0].first);
    EXPECT_EQ(batches[0].samples.size(), 60U);
    std::set<int> ranks;
    for (const storage::MetricSample& sample : batches[0].samples) ranks.insert(sample.rank);
    EXPECT_EQ(ranks, (std::set<int>{0, 1, 2}));
    bench.refresh(query);
    EXPECT_EQ(batches.size(), 1U) << "nothing new";
    query.want("train/loss");
    bench.refresh(query);
    ASSERT_EQ(batches.size(), 2U);
    EXPECT_TRUE(batches[1].first) << "a second chart gets it from the first record";
    query.release("train/loss");
    query.release("train/loss");
    bench.store.touch();
    bench.refresh(query);
    EXPECT_EQ(batches.size(), 2U);
}

}  // namespace
}  // namespace dasgd::gui
