// The live way: what a rank records is shown, with its age. The latency is printed; only arriving is asserted.
#include "gui/models/live/feed_worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/scaling_runs.h"

namespace dasgd::gui {
namespace {

TEST(FeedWorker, PacesWhatIsDear) {
    RefreshInterval interval(10, 10);
    EXPECT_TRUE(interval.due());
    interval.spent(1000);
    EXPECT_FALSE(interval.due());
    interval.hurry();
    EXPECT_TRUE(interval.due());
}

TEST(FeedWorker, ALiveRunIsFollowed) {
    Workspace workspace;
    test::SyntheticRun run(workspace.store(), {.steps = 120, .realTime = true});
    Feed feed(workspace.path());
    Session session(feed);
    std::vector<double> ages;
    QObject::connect(&session, &Session::pulseChanged, &session, [&] {
        if (session.behindMs()) ages.push_back(*session.behindMs());
    });
    std::int64_t spans = 0;
    QObject::connect(&feed, &Feed::timelineArrived, &feed, [&](const TimelineFramePtr& frame) {
        spans = std::max(spans, static_cast<std::int64_t>(frame->spans));
    });
    QObject::connect(&session.selection(), &TimeSelection::windowChanged, &feed, [&](TimeRange window) {
        feed.wantTimeline({session.currentId(), window, 1e6});
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

TEST(FeedWorker, OneRunAfterAnotherIsSeenFromItsStart) {
    Workspace workspace;
    Feed feed(workspace.path());
    Session session(feed);
    for (int i = 1; i <= 3; ++i) {
        const QString id = workspace.record({.seed = i, .steps = 30});
        ASSERT_TRUE(eventually([&] { return session.series(id, "train/loss").points().size() == 30; })) << i;
    }
    EXPECT_EQ(session.runs().rowCount(), 3);
}

TEST(FeedWorker, TimesOfManyRunsComeInParts) {
    Workspace workspace;
    QStringList ids;
    for (int i = 0; i < 30; ++i) {
        ids << QString::fromStdString(test::recordScaling(workspace.store(), {.seed = i, .stepMs = 10.0 + i}));
    }
    Feed feed(workspace.path());
    std::map<std::string, double> stepMs;
    QObject::connect(&feed, &Feed::timesArrived, &feed, [&](const TimesBatch& batch) {
        for (const auto& [run, times] : batch) stepMs[run] = times.stepMs.value_or(0);
    });
    feed.wantTimes(ids);
    ASSERT_TRUE(eventually([&] { return stepMs.size() == 30; }));
    EXPECT_EQ(stepMs.at(ids[7].toStdString()), 17);
}

}  // namespace
}  // namespace dasgd::gui
