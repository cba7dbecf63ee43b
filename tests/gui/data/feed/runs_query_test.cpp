#include "gui/data/feed/runs_query.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <filesystem>

#include "tests/gui/support/live_bench.h"
#include "tests/support/processes.h"

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

// The query looks for checkpoints, not the code that forms the words: that would wait for a disk.
TEST(RunsQuery, LooksWhetherARunThatEndedEarlyLeftACheckpoint) {
    LiveBench bench;
    const auto stopped = [&](bool saved) {
        const std::string id = bench.workspace.record({.steps = 8}).toStdString();
        EXPECT_TRUE(bench.workspace.store().abandonRun(id, "stopped", ""));
        if (saved) std::filesystem::create_directories(bench.workspace.store().paths().checkpoints(id) / "step-4");
        return QString::fromStdString(id);
    };
    const QString with = stopped(true), without = stopped(false);
    const QString finished = bench.workspace.record({.steps = 8});
    std::filesystem::create_directories(bench.workspace.store().paths().checkpoints(finished.toStdString()) / "step-8");
    RunsQuery query;
    bench.refresh(query);
    EXPECT_TRUE(bench.store.runs().at(with)->hasCheckpoint);
    EXPECT_FALSE(bench.store.runs().at(without)->hasCheckpoint);
    EXPECT_FALSE(bench.store.runs().at(finished)->hasCheckpoint) << "it needs to go on nowhere";
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

TEST(RunsQuery, ARunWhoseProcessIsKilledIsInterruptedAtOnce) {
    const QTemporaryDir folder;
    const std::filesystem::path workspace = folder.path().toStdString();
    test::SharedCounter started;
    test::ChildProcess launcher([&] {
        auto opened = storage::Store::open(workspace);
        if (!opened) return 1;
        test::SyntheticRun run(*opened, {.steps = 100});
        run.train(10);
        started.set(1);
        ::pause();
        return 0;
    });
    ASSERT_TRUE(eventually([&] { return started.get() == 1; }));
    LiveStore store(workspace);
    RunsQuery query;
    std::vector<RunItemPtr> reported;
    QObject::connect(&query, &RunsQuery::changed, [&](const std::vector<RunItemPtr>& changed, const QStringList&) {
        reported.insert(reported.end(), changed.begin(), changed.end());
    });
    const auto look = [&] {
        const auto state = store.open();
        ASSERT_TRUE(state) << state.error().message;
        ASSERT_TRUE(store.update());
        const Status done = query.refresh(store);
        ASSERT_TRUE(done) << done.error().message;
        QTest::qWait(20);
    };
    const auto status = [&] { return reported.empty() ? std::string() : reported.back()->row.status; };
    // Two heartbeats and more.
    for (int i = 0; i < 120; ++i) {
        look();
        ASSERT_EQ(status(), "running");
    }
    launcher.kill();
    ASSERT_TRUE(eventually([&] {
        look();
        return status() == "interrupted";
    }));
    const QString id = reported.back()->id;
    EXPECT_FALSE(store.isLive(id));
    EXPECT_NE(reported.back()->row.error.find(" died before its end"), std::string::npos);
    const std::size_t said = reported.size();
    ASSERT_TRUE(storage::Store::open(workspace)) << "the end is written";
    for (int i = 0; i < 30; ++i) look();
    for (std::size_t i = said; i < reported.size(); ++i) EXPECT_EQ(reported[i]->row.status, "interrupted");
    EXPECT_EQ(store.reader().runs().row(id.toStdString())->status, "interrupted");
}

TEST(RunsQuery, ARunThatWasLostBeforeIsSoFromTheFirstRound) {
    LiveBench bench;
    {
        auto store = storage::Store::open(bench.workspace.path());
        ASSERT_TRUE(store);
        test::SyntheticRun run(*store, {.steps = 100});
        run.train(10);
    }
    RunsQuery query;
    QSignalSpy changed(&query, &RunsQuery::changed);
    bench.refresh(query);
    ASSERT_EQ(changed.count(), 1);
    EXPECT_EQ(changed[0][0].value<std::vector<RunItemPtr>>().front()->row.status, "interrupted");
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
