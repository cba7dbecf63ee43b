#include "gui/data/feed/live_store.h"

#include <gtest/gtest.h>

#include <fstream>

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

    LiveStore missing(std::filesystem::path(folder.path().toStdString()) / "none");
    EXPECT_EQ(missing.open().value(), LiveStore::State::Unused) << "the first run makes it";
    std::ofstream(std::filesystem::path(folder.path().toStdString()) / "file") << "text";
    LiveStore file(std::filesystem::path(folder.path().toStdString()) / "file");
    EXPECT_FALSE(file.open());

    Workspace workspace;
    workspace.record({.steps = 8});
    LiveStore store(workspace.path());
    EXPECT_EQ(store.open().value(), LiveStore::State::Open);
    EXPECT_EQ(store.reader().runs().list().value().size(), 1U);
    store.close();
    EXPECT_TRUE(eventually([&] { return store.open().value() == LiveStore::State::Open; })) << "opened again";
}

TEST(LiveStore, AWorkspaceThatIsMovedOrReplacedIsNoticedAndOpenedAgain) {
    namespace fs = std::filesystem;
    Workspace workspace, other;
    workspace.record({.steps = 8});
    other.record({.steps = 8});
    other.record({.steps = 8});
    const fs::path away = workspace.path().string() + "-away";
    LiveStore store(workspace.path());
    ASSERT_TRUE(store.open());
    ASSERT_TRUE(store.update());
    const auto errorOf = [](const auto& result) { return result ? std::string() : result.error().message; };
    const auto fails = [&](const std::string& words) {
        return eventually([&] { return errorOf(store.update()).find(words) != std::string::npos; });
    };
    const auto opens = [&] {
        store.close();
        return eventually([&] { return store.open().value_or(LiveStore::State::Waiting) == LiveStore::State::Open; });
    };

    fs::rename(workspace.path(), away);
    ASSERT_TRUE(fails("was deleted or moved while it was open"));
    store.close();
    ASSERT_TRUE(eventually([&] { return errorOf(store.open()).find("deleted or moved") != std::string::npos; }));
    fs::rename(away, workspace.path());
    ASSERT_TRUE(opens());
    EXPECT_EQ(store.reader().runs().list().value().size(), 1U);

    fs::rename(workspace.path(), away);
    fs::copy(other.path(), workspace.path(), fs::copy_options::recursive);
    ASSERT_TRUE(fails("was replaced while it was open"));
    ASSERT_TRUE(opens());
    EXPECT_EQ(store.reader().runs().list().value().size(), 2U);
    fs::remove_all(away);
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
