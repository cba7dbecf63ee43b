// The loop itself; the latency of the live way is printed, only arriving is asserted.
#include "gui/data/feed/feed_worker.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <algorithm>
#include <cstdio>
#include <thread>

#include "gui/timeline/model/timeline_query.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// Writes down when it is refreshed.
class ListedQuery final : public LiveQuery {
public:
    ListedQuery(Priority priority, QString name, QStringList& list)
        : LiveQuery(priority), name_(std::move(name)), list_(list) {}
    Status refresh(LiveStore& store) override {
        list_ << name_;
        run = store.watch().run;
        if (!error.empty()) return fail(error);
        return {};
    }
    void refreshUnused() override { list_ << name_ + QStringLiteral(" unused"); }
    std::string error;
    QString run;

private:
    QString name_;
    QStringList& list_;
};

// The worker in this thread, round by round.
class FeedWorkerRounds : public ::testing::Test {
protected:
    FeedWorkerRounds() { workspace_.record({.steps = 8}); }
    QStringList round() {
        list_.clear();
        worker_.poll();
        return list_;
    }
    Workspace workspace_;
    QStringList list_;
    ListedQuery late_{LiveQuery::Priority::Background, QStringLiteral("late"), list_};
    ListedQuery rows_{LiveQuery::Priority::Records, QStringLiteral("rows"), list_};
    ListedQuery points_{LiveQuery::Priority::Records, QStringLiteral("points"), list_};
    ListedQuery edge_{LiveQuery::Priority::LiveEdge, QStringLiteral("edge"), list_};
    FeedWorker worker_{workspace_.path()};
};

TEST_F(FeedWorkerRounds, AsksByPriorityThenInTheOrderOfRegistration) {
    for (ListedQuery* query : {&late_, &rows_, &points_, &edge_}) worker_.add(*query);
    EXPECT_EQ(round(), (QStringList{"edge", "rows", "points", "late"}));
    list_.clear();
    worker_.ask(&late_);
    EXPECT_EQ(list_, QStringList{"late"}) << "alone";
}

TEST_F(FeedWorkerRounds, AnErrorIsReportedOnceAndTheStoreIsOpenedAgain) {
    for (ListedQuery* query : {&rows_, &points_}) worker_.add(*query);
    QSignalSpy errors(&worker_, &FeedWorker::errorOccurred);
    rows_.error = "broken";
    EXPECT_EQ(round(), QStringList{"rows"});
    ASSERT_EQ(errors.count(), 1);
    EXPECT_EQ(errors[0][0].toString(), QStringLiteral("broken"));
    rows_.error.clear();
    ASSERT_TRUE(eventually([&] { return round() == QStringList{"rows", "points"}; }));
    EXPECT_EQ(errors.count(), 2);
    EXPECT_EQ(errors.last()[0].toString(), QString());
}

TEST_F(FeedWorkerRounds, TheLatestWatchCountsFromTheNextQuestionOn) {
    worker_.add(rows_);
    worker_.setWatch({QStringLiteral("a"), {}});
    worker_.setWatch({QStringLiteral("b"), {}});
    worker_.ask(&rows_);
    EXPECT_EQ(rows_.run, QStringLiteral("b"));
}

TEST(FeedWorker, AnUnusedWorkspaceIsToldToEachQuery) {
    const QTemporaryDir folder;
    QStringList list;
    ListedQuery query(LiveQuery::Priority::Records, QStringLiteral("rows"), list);
    FeedWorker worker(folder.path().toStdString());
    worker.add(query);
    worker.poll();
    EXPECT_EQ(list, QStringList{"rows unused"});
}

TEST(FeedWorker, ALiveRunIsFollowed) {
    Workspace workspace;
    test::SyntheticRun run(workspace.store(), {.steps = 120, .realTime = true});
    Feed feed(workspace.path());
    Session session(feed);
    session.wantMetric("train/loss");
    auto& timeline = feed.query<TimelineQuery>();
    std::vector<double> ages;
    QObject::connect(&session, &Session::pulseChanged, &session, [&] {
        if (session.behindMs()) ages.push_back(*session.behindMs());
    });
    std::int64_t spans = 0;
    QObject::connect(&timeline, &TimelineQuery::arrived, &feed, [&](const TimelineFramePtr& frame) {
        spans = std::max(spans, static_cast<std::int64_t>(frame->spans));
    });
    QObject::connect(&session.selection(), &TimeSelection::windowChanged, &feed, [&](TimeRange window) {
        timeline.request({session.currentId(), window, 1e6});
    });
    std::thread trainer([&run] { run.train(120); });
    const bool arrived =
        eventually([&] { return session.series(session.currentId(), "train/loss").points().size() >= 100; });
    trainer.join();
    ASSERT_TRUE(arrived);
    EXPECT_EQ(session.currentId(), QString::fromStdString(run.id()));
    EXPECT_GT(spans, 100);
    ASSERT_GT(ages.size(), 10U) << "the live edge moved";
    std::sort(ages.begin(), ages.end());
    std::printf("age of the newest record when shown: median %.0f ms, 95 %% under %.0f ms, most %.0f ms\n",
                ages[ages.size() / 2], ages[ages.size() * 95 / 100], ages.back());
    EXPECT_LT(ages[ages.size() / 2], 5'000);
    EXPECT_TRUE(session.selection().following());
    run.finish();
    ASSERT_TRUE(eventually(
        [&] { return session.current() && session.current()->row.status == "finished" && !session.pulse().live; }));
    EXPECT_FALSE(session.selection().following());
}

}  // namespace
}  // namespace dasgd::gui
