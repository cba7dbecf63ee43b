#include "gui/run/model/span_series_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(SpanSeriesQuery, TellsOfAWholeRunOnceAndOnlyWhereItIsWanted) {
    LiveBench bench;
    const QString run = bench.workspace.record({.ranks = 3, .steps = 300});
    bench.know();
    bench.store.setWatch({run, {}});
    SpanSeriesQuery query;
    std::vector<RankBatch> all;
    QObject::connect(&query, &SpanSeriesQuery::arrived, [&](const RankBatch& batch) { all.push_back(batch); });
    bench.refresh(query);
    EXPECT_TRUE(all.empty()) << "nobody shows it";
    query.want(kSpansHidden);
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return !all.empty();
    }));
    EXPECT_EQ(all.back().runId, run);
    EXPECT_TRUE(all.back().first);
    EXPECT_EQ(all.back().samples.back().step, 300);
    double sum = 0;
    int points = 0;
    for (const storage::MetricSample& sample : all.back().samples) {
        EXPECT_TRUE(sample.rank >= -1 && sample.rank < 3);
        if (sample.rank >= 0) continue;
        sum += sample.value;
        ++points;
    }
    ASSERT_GT(points, 5);
    const storage::RunRow row = storage::RunReader::open(bench.workspace.path())->detail(run.toStdString())->row;
    EXPECT_NEAR(sum / points, *row.hidden, 0.1) << "about what the run's own number is";
    const std::size_t told = all.size();
    bench.refresh(query);
    EXPECT_EQ(all.size(), told) << "nothing is new";
    query.want(kSpansHidden);
    bench.refresh(query);
    EXPECT_EQ(all.size(), told + 1) << "who asks anew is told";
}

TEST(SpanSeriesQuery, ALiveRunHasItsCurveBeforeAnythingIsTimed) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .steps = 200});
    run.train(45);  // its first window ends with step 50
    bench.know();
    bench.store.setWatch({QString::fromStdString(run.id()), {}});
    SpanSeriesQuery query;
    RankBatch last;
    QObject::connect(&query, &SpanSeriesQuery::arrived, [&](const RankBatch& batch) { last = batch; });
    query.want(kSpansThroughput);
    ASSERT_TRUE(eventually([&] {
        bench.store.touch();
        bench.refresh(query);
        return !last.samples.empty();
    }));
    const std::int64_t before = last.samples.back().step;
    EXPECT_LE(before, 45);
    EXPECT_GT(last.samples.back().value, 0);
    run.train(200);
    run.finish();
    bench.know();
    ASSERT_TRUE(eventually([&] {
        bench.store.touch();
        bench.refresh(query);
        return !last.samples.empty() && last.samples.back().step == 200;
    })) << "of an ended run all of it";
}

}  // namespace
}  // namespace dasgd::gui
