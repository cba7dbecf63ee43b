#include "gui/data/feed/detail_query.h"

#include <gtest/gtest.h>

#include "gui/data/feed/runs_query.h"
#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

TEST(DetailQuery, DeliversTheWatchedRunOnceForEachRevision) {
    LiveBench bench;
    const QString first = bench.workspace.record({.steps = 8});
    const QString second = bench.workspace.record({.steps = 8});
    DetailQuery query;
    std::vector<QString> arrived;
    QObject::connect(&query, &DetailQuery::arrived, &query, [&](const storage::RunDetail& detail) {
        arrived.push_back(QString::fromStdString(detail.row.runId));
    });
    bench.store.setWatch({first, {second}});
    bench.refresh(query);
    EXPECT_TRUE(arrived.empty()) << "the run is not known yet";
    bench.know();
    bench.refresh(query);
    bench.refresh(query);
    EXPECT_EQ(arrived, std::vector<QString>{first});
    bench.store.setWatch({second, {first}});
    bench.refresh(query);
    EXPECT_EQ(arrived, (std::vector<QString>{first, second})) << "another run does not wait for the interval";
}

TEST(DetailQuery, ALargeRunIsNotReadWithEachRound) {
    LiveBench bench;
    const QString id = bench.workspace.record({.steps = 8});
    bench.know();
    DetailQuery query;
    int arrived = 0;
    QObject::connect(&query, &DetailQuery::arrived, &query, [&] { ++arrived; });
    bench.store.setWatch({id, {}});
    for (int round = 0; round < 100; ++round) {
        bench.store.touch();
        bench.refresh(query);
    }
    EXPECT_LT(arrived, 100);
    const int before = arrived;
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return arrived > before;
    })) << "later it catches up";
}

// The last numbers of a run do not wait for the interval.
TEST(DetailQuery, TheEndOfARunIsReadAtOnce) {
    LiveBench bench;
    test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .steps = 20});
    run.train(10);
    bench.know();
    bench.store.setWatch({QString::fromStdString(run.id()), {}});
    DetailQuery query;
    std::vector<std::string> statuses;
    QObject::connect(&query, &DetailQuery::arrived, &query,
                     [&](const storage::RunDetail& detail) { statuses.push_back(detail.row.status); });
    bench.refresh(query);
    run.train(20);
    run.finish();
    bench.know();
    bench.store.touch();
    bench.refresh(query);
    EXPECT_EQ(statuses, (std::vector<std::string>{"running", "finished"}));
}

TEST(DetailQuery, ALostRunIsNotCalledRunning) {
    LiveBench bench;
    QString id;
    {
        test::SyntheticRun run(bench.workspace.store(), {.ranks = 2, .steps = 20});
        run.train(10);
        id = QString::fromStdString(run.id());
    }
    RunsQuery runs;
    bench.refresh(runs);
    bench.store.setWatch({id, {}});
    DetailQuery query;
    std::vector<std::string> statuses;
    QObject::connect(&query, &DetailQuery::arrived, &query,
                     [&](const storage::RunDetail& detail) { statuses.push_back(detail.row.status); });
    bench.refresh(query);
    EXPECT_EQ(statuses, std::vector<std::string>{"interrupted"});
}

}  // namespace
}  // namespace dasgd::gui
