#include "gui/models/live/runs_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/live_bench.h"

namespace dasgd::gui {
namespace {

std::size_t rowsOf(const QList<QVariant>& arguments) { return arguments[0].value<std::vector<RunItemPtr>>().size(); }

TEST(RunsQuery, DeliversEachChangeOnce) {
    LiveBench bench;
    bench.workspace.record({.steps = 8});
    RunsQuery query;
    QSignalSpy changed(&query, &RunsQuery::changed);
    bench.refresh(query);
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(rowsOf(changed[0]), 1U);
    EXPECT_EQ(bench.store.runs().size(), 1U);
    bench.refresh(query);
    EXPECT_EQ(changed.count(), 1) << "nothing was committed";
    const QString second = bench.workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] {
        bench.refresh(query);
        return changed.count() == 2;
    })) << "it is asked again after its interval";
    EXPECT_EQ(changed[1][0].value<std::vector<RunItemPtr>>().front()->id, second);
}

TEST(RunsQuery, AWatchedRunThatChangedIsReadAgainByEveryQuery) {
    LiveBench bench;
    const QString id = bench.workspace.record({.steps = 8});
    bench.store.setWatch({id, {}});
    RunsQuery query;
    bench.open();
    const std::int64_t before = bench.store.revision();
    ASSERT_TRUE(query.refresh(bench.store));
    EXPECT_GT(bench.store.revision(), before);
}

TEST(RunsQuery, AnUnusedWorkspaceIsAnEmptyListOnce) {
    RunsQuery query;
    QSignalSpy changed(&query, &RunsQuery::changed);
    query.refreshUnused();
    query.refreshUnused();
    QTest::qWait(0);
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(rowsOf(changed[0]), 0U);
}

}  // namespace
}  // namespace dasgd::gui
