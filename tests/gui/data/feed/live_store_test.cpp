#include "gui/data/feed/live_store.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(RefreshInterval, WhatIsExpensiveRunsLessOften) {
    RefreshInterval interval(10, 10);
    EXPECT_TRUE(interval.due());
    interval.spent(1000);
    EXPECT_FALSE(interval.due());
    interval.hurry();
    EXPECT_TRUE(interval.due());
}

TEST(LiveStore, OpensAWorkspaceAndCallsAnEmptyFolderUnused) {
    const QTemporaryDir folder;
    LiveStore unused(folder.path().toStdString());
    EXPECT_EQ(unused.open().value(), LiveStore::State::Unused);
    EXPECT_FALSE(unused.isOpen());

    LiveStore missing(std::filesystem::path(folder.path().toStdString()) / "none");
    EXPECT_FALSE(missing.open());

    Workspace workspace;
    workspace.record({.steps = 8});
    LiveStore store(workspace.path());
    EXPECT_EQ(store.open().value(), LiveStore::State::Open);
    EXPECT_EQ(store.reader().runs().value().size(), 1U);
    store.close();
    EXPECT_FALSE(store.isOpen());
}

TEST(LiveStore, TheRevisionGrowsWithWhatIsCommitted) {
    Workspace workspace;
    workspace.record({.steps = 8});
    LiveStore store(workspace.path());
    ASSERT_TRUE(store.open());
    ASSERT_TRUE(store.update());
    const std::int64_t before = store.revision();
    ASSERT_TRUE(store.update());
    EXPECT_EQ(store.revision(), before);
    workspace.record({.steps = 8});
    ASSERT_TRUE(store.update());
    EXPECT_GT(store.revision(), before);
}

TEST(LiveStore, ARunIsWatchedSinceItCameAndAnewOnceItWasGone) {
    const QString a = QStringLiteral("a"), b = QStringLiteral("b");
    LiveStore store("nowhere");
    store.setWatch({a, {}});
    const std::int64_t first = store.watchedSince(a);
    EXPECT_EQ(store.watchedSince(), first);
    const std::int64_t before = store.revision();
    store.setWatch({a, {}});
    EXPECT_EQ(store.revision(), before) << "nothing has changed";
    store.setWatch({b, {a}});
    EXPECT_EQ(store.watchedSince(a), first) << "it is still drawn";
    EXPECT_GT(store.watchedSince(), first) << "another run is looked at";
    store.setWatch({b, {}});
    store.setWatch({a, {}});
    EXPECT_GT(store.watchedSince(a), first);
}

TEST(LiveStore, ARunThatIsNotKnownYetCountsAsLive) {
    LiveStore store("nowhere");
    EXPECT_TRUE(store.isLive(QStringLiteral("r")));
    store.setRuns({{QStringLiteral("r"), makeRun("r", "dasgd")}});
    EXPECT_FALSE(store.isLive(QStringLiteral("r")));
}

TEST(LiveStore, EveryRunThatEndsIsCountedOnce) {
    LiveStore store("nowhere");
    const auto run = [](const char* id, const char* status) {
        return std::pair(QString::fromLatin1(id), makeRun(id, "dasgd", "", 1, status));
    };
    store.setRuns({run("a", "running"), run("b", "queued"), run("c", "finished")});
    EXPECT_EQ(store.endings(), 0) << "what had ended before it was known is no ending";
    store.setRuns({run("a", "running"), run("b", "running"), run("c", "finished")});
    EXPECT_EQ(store.endings(), 0) << "a run that starts has not ended";
    store.setRuns({run("a", "interrupted"), run("b", "failed"), run("c", "finished")});
    EXPECT_EQ(store.endings(), 2);
    store.setRuns({run("a", "interrupted"), run("b", "failed"), run("c", "finished")});
    EXPECT_EQ(store.endings(), 2);
}

}  // namespace
}  // namespace dasgd::gui
