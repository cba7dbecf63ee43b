#include "gui/data/session/session.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <chrono>
#include <thread>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Session, GoesToTheNewestRunAndDrawsItsExperiment) {
    Workspace workspace;
    workspace.record({.algorithm = "sync_sgd", .steps = 20});
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // the order of the starts is kept in milliseconds
    const QString newest = workspace.record({.steps = 20});
    Feed feed(workspace.path());
    Session session(feed);
    session.wantMetric("train/loss");
    const QAbstractItemModelTester tester(&session.runs(), QAbstractItemModelTester::FailureReportingMode::Fatal);
    ASSERT_TRUE(eventually([&] { return session.series(newest, "train/loss").points().size() == 20; }));
    EXPECT_EQ(session.currentId(), newest);
    ASSERT_EQ(session.shown().size(), 2U);
    EXPECT_EQ(session.shownNames(), (QStringList{"dasgd", "sync_sgd"}));
    ASSERT_TRUE(eventually([&] { return session.detail().has_value() && session.pulse().spans > 0; }));
    EXPECT_TRUE(session.detail()->linkEmulated);
    EXPECT_FALSE(session.behindMs()) << "an ended run is not behind";
}

TEST(Session, NothingChangesUnderAHandThatWorks) {
    Workspace workspace;
    const QString first = workspace.record({.steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    session.touched();
    ASSERT_TRUE(eventually([&] { return session.currentId() == first; })) << "there was none to leave";
    session.touched();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const QString second = workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] {
        session.touched();
        return session.runs().find(second) != nullptr;
    }));
    EXPECT_EQ(session.currentId(), first);
    EXPECT_TRUE(session.newestWaits());
    session.setFollowNewest(true);
    EXPECT_FALSE(session.newestWaits());
    EXPECT_EQ(session.currentId(), second) << "whoever asks for it gets it at once";
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    session.touched();
    const QString third = workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return session.currentId() == third; })) << "when the hand rests";
}

TEST(Session, FollowsRunsThatStartUnlessOneWasChosen) {
    Workspace workspace;
    const QString first = workspace.record({.steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    ASSERT_TRUE(eventually([&] { return session.currentId() == first; }));
    const QString second = workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return session.currentId() == second; }));
    session.choose(first);
    const QString third = workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return session.runs().find(third) != nullptr; }));
    EXPECT_EQ(session.currentId(), first);
    EXPECT_FALSE(session.followsNewest());
    session.setFollowNewest(true);
    EXPECT_EQ(session.currentId(), third);
}

TEST(Session, ARunThatWasStartedIsWaitedForInThePlaceOfTheOneBefore) {
    Workspace workspace;
    const QString before = workspace.record({.steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    ASSERT_TRUE(eventually([&] { return session.currentId() == before; }));
    session.choose(before);
    session.followStart();
    EXPECT_TRUE(session.isStarting());
    EXPECT_EQ(session.current(), nullptr);
    EXPECT_TRUE(session.shown().empty());
    session.touched();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const QString started = workspace.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return session.currentId() == started; }));
    EXPECT_FALSE(session.isStarting());
    EXPECT_TRUE(session.newestWaits() || session.followsNewest()) << "and those after it are followed";
}

TEST(Session, WhereNothingStartsTheRunBeforeIsBack) {
    Workspace workspace;
    const QString before = workspace.record({.steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    ASSERT_TRUE(eventually([&] { return session.currentId() == before; }));
    session.followStart();
    session.startEnded();
    EXPECT_FALSE(session.isStarting());
    EXPECT_EQ(session.currentId(), before);
    EXPECT_EQ(session.shown().size(), 1U);
    session.startEnded();
    EXPECT_EQ(session.currentId(), before);
}

TEST(Session, AUniqueBeginningChoosesARun) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    session.choose(id.left(id.size() - 2));
    ASSERT_TRUE(eventually([&] { return session.currentId() == id; }));
}

TEST(Session, OneRunAfterAnotherIsShownFromItsStart) {
    Workspace workspace;
    Feed feed(workspace.path());
    Session session(feed);
    session.wantMetric("train/loss");
    for (int i = 1; i <= 3; ++i) {
        const QString id = workspace.record({.seed = i, .steps = 30});
        ASSERT_TRUE(eventually([&] { return session.series(id, "train/loss").points().size() == 30; })) << i;
    }
    EXPECT_EQ(session.runs().rowCount(), 3);
}

TEST(Session, ARunThatWasLeftForAMomentHasItsCurve) {
    Workspace workspace;
    const QString a = workspace.record({.experiment = "one", .steps = 8});
    const QString b = workspace.record({.experiment = "two", .steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    session.wantMetric("train/loss");
    session.choose(a);
    ASSERT_TRUE(eventually([&] { return session.series(a, "train/loss").points().size() == 8 && session.detail(); }));
    session.choose(b);
    session.choose(a);
    ASSERT_TRUE(eventually([&] { return session.series(a, "train/loss").points().size() == 8 && session.detail(); }));
}

TEST(Session, ComparesExactlyTheChosenRuns) {
    Workspace workspace;
    const QString a = workspace.record({.seed = 1, .steps = 8});
    const QString b = workspace.record({.seed = 2, .steps = 8});
    workspace.record({.algorithm = "sync_sgd", .steps = 8});
    Feed feed(workspace.path());
    Session session(feed);
    session.wantMetric("train/loss");
    ASSERT_TRUE(eventually([&] { return session.runs().rowCount() == 3; }));
    session.compare({a, b});
    EXPECT_TRUE(session.isComparing());
    ASSERT_EQ(session.shown().size(), 2U);
    EXPECT_EQ(session.shownNames(), (QStringList{"dasgd seed 1", "dasgd seed 2"}));
    EXPECT_EQ(session.styleOf(*session.shown()[0]), session.styleOf(*session.shown()[1])) << "seeds share their style";
    ASSERT_TRUE(eventually([&] { return session.series(b, "train/loss").points().size() == 8; }));
    session.compare({});
    EXPECT_EQ(session.shown().size(), 2U) << "of each configuration the newest, the chosen run itself first";
}

TEST(Session, SaysHowManyConfigurationsThereAreBesideThoseThatAreDrawn) {
    Workspace workspace;
    for (int delay = 1; delay <= 10; ++delay) workspace.record({.ranks = 1, .period = 16, .delay = delay, .steps = 4});
    Feed feed(workspace.path());
    Session session(feed);
    ASSERT_TRUE(eventually([&] { return session.shown().size() == 8 && session.showable() == 10; }));
    session.compare({session.shown()[0]->id, session.shown()[1]->id});
    EXPECT_EQ(session.showable(), 2U) << "those that were chosen are all drawn";
}

}  // namespace
}  // namespace dasgd::gui
