#include "gui/timeline/model/lateness_query.h"

#include <gtest/gtest.h>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(LatenessQuery, TellsEveryRankOfARunAndOnlyWhereItIsWanted) {
    LiveBench bench;
    const QString run = bench.workspace.record({.ranks = 4, .steps = 200});
    bench.know();
    bench.store.setWatch({run, {}});
    LatenessQuery query;
    LatenessAnswer last;
    QObject::connect(&query, &LatenessQuery::arrived, [&](const LatenessAnswer& answer) { last = answer; });
    bench.refresh(query);
    EXPECT_TRUE(last.runId.isEmpty()) << "nobody shows it";
    query.want(&bench);
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return last.runId == run;
    }));
    ASSERT_TRUE(last.lateness);
    EXPECT_EQ(last.lateness->ranks.size(), 4U);
    EXPECT_FALSE(last.newestOnly);
    EXPECT_GT(last.lateness->averages, 30);
    std::int64_t lasts = 0;
    for (const RankLateness& rank : last.lateness->ranks) lasts += rank.last;
    EXPECT_LE(lasts, last.lateness->averages) << "one is last";
    const int another = 0;
    last = {};
    query.want(&another);
    bench.refresh(query);
    EXPECT_EQ(last.runId, run) << "who comes later is told too";
    query.release(&bench);
    last = {};
    bench.store.setWatch({bench.workspace.record({.ranks = 2, .steps = 100}), {}});
    bench.know();
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return !last.runId.isEmpty();
    })) << "as long as one of them shows it";
    EXPECT_NE(last.runId, run);
}

TEST(LatenessQuery, ARunThatAveragesNothingTellsNothing) {
    LiveBench bench;
    const QString run = bench.workspace.record({.algorithm = "independent", .ranks = 1, .steps = 20});
    bench.know();
    bench.store.setWatch({run, {}});
    LatenessQuery query;
    LatenessAnswer last;
    QObject::connect(&query, &LatenessQuery::arrived, [&](const LatenessAnswer& answer) { last = answer; });
    query.want(&bench);
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return last.runId == run;
    }));
    EXPECT_FALSE(last.lateness);
}

}  // namespace
}  // namespace dasgd::gui
