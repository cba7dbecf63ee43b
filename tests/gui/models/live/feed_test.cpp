#include "gui/models/live/feed.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QSignalSpy>
#include <cstdio>
#include <map>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Feed, AMissingWorkspaceIsSaidAndTakenUpOnceItIsThere) {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString() + "/later";
    Feed feed(path);
    QSignalSpy trouble(&feed, &Feed::trouble), runs(&feed, &Feed::runsChanged);
    ASSERT_TRUE(eventually([&] { return trouble.count() > 0; }));
    EXPECT_TRUE(trouble[0][0].toString().contains(QLatin1String("later"))) << trouble[0][0].toString().toStdString();
    auto store = storage::Store::open(path);
    ASSERT_TRUE(store.has_value()) << store.error().message;
    test::recordRun(*store, {.steps = 8});
    ASSERT_TRUE(eventually([&] { return runs.count() > 0 && trouble.last()[0].toString().isEmpty(); }));
}

TEST(Feed, AnUnusedFolderIsAnEmptyWorkspace) {
    const QTemporaryDir folder;
    Feed feed(folder.path().toStdString());
    QSignalSpy trouble(&feed, &Feed::trouble), runs(&feed, &Feed::runsChanged);
    ASSERT_TRUE(eventually([&] { return runs.count() > 0; }));
    EXPECT_TRUE(runs[0][0].value<std::vector<RunItemPtr>>().empty());
    auto store = storage::Store::open(folder.path().toStdString());
    ASSERT_TRUE(store.has_value()) << store.error().message;
    test::recordRun(*store, {.steps = 8});
    ASSERT_TRUE(eventually([&] { return !runs.last()[0].value<std::vector<RunItemPtr>>().empty(); }));
    EXPECT_EQ(trouble.count(), 0);
}

TEST(Feed, AnotherProgramsFileIsSaid) {
    const QTemporaryDir folder;
    QFile file(folder.filePath(QStringLiteral("lab.db")));
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(8192, 'x'));
    file.close();
    Feed feed(folder.path().toStdString());
    QSignalSpy trouble(&feed, &Feed::trouble);
    ASSERT_TRUE(eventually([&] { return trouble.count() > 0; }));
    EXPECT_TRUE(trouble[0][0].toString().contains(QLatin1String("lab.db"))) << trouble[0][0].toString().toStdString();
}

TEST(Feed, DeliversEveryMetricOfAWatchedRunOnce) {
    Workspace workspace;
    const QString id = workspace.record({.ranks = 2, .steps = 40, .stepsPerEpoch = 20});
    Feed feed(workspace.path());
    std::map<std::string, std::size_t> counts;
    QObject::connect(&feed, &Feed::metricsArrived, &feed,
                     [&](const MetricBatch& batch) { counts[batch.name] += batch.samples.size(); });
    feed.watch(id, {});
    ASSERT_TRUE(eventually([&] { return counts["train/loss"] >= 80 && counts["eval/accuracy"] >= 2; }));
    QTest::qWait(200);
    EXPECT_EQ(counts["train/loss"], 80U);
    EXPECT_EQ(counts["throughput/samples_per_s"], 8U);
    EXPECT_EQ(counts["eval/accuracy"], 2U);
}

TEST(Feed, AnswersTheLatestWish) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 40});
    Feed feed(workspace.path());
    feed.watch(id, {});
    TimelineFramePtr frame;
    QObject::connect(&feed, &Feed::timelineArrived, &feed, [&](const TimelineFramePtr& arrived) { frame = arrived; });
    for (int i = 1; i <= 50; ++i) feed.wantTimeline({id, {0, i * 10'000'000}, 1e5});
    ASSERT_TRUE(eventually([&] { return frame && frame->range.end == 500'000'000 && frame->spans > 0; }));
    EXPECT_EQ(frame->rows.size(), 8U);
    EXPECT_FALSE(frame->links.empty());
}

TEST(Feed, ARunSaysWhetherItKeepsSpans) {
    const auto keeps = [](const char* config) { return makeRunItem({.runId = "r", .config = config})->keepsSpans; };
    EXPECT_TRUE(keeps("[record]\ntrace = \"full\"\n"));
    EXPECT_FALSE(keeps("[record]\ntrace = \"summary\"\n"));
    EXPECT_FALSE(keeps("[record]\ntrace = \"off\"\n"));
    EXPECT_TRUE(keeps("")) << "the default";
}

TEST(Feed, MeasuresLikeTheFormula) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 40});
    auto reader = storage::RunReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const TimeRange range{100'000'000, 400'000'000};
    Ns expected = 0;
    const auto spans = reader->spans(id.toStdString(), range).value();
    for (int rank = 0; rank < 4; ++rank) {
        std::vector<Span> own;
        for (const storage::SpanRow& row : spans) {
            if (row.rank == rank) own.push_back(row.span);
        }
        expected += summariseOverlap(own, range).hidden;
    }
    Feed feed(workspace.path());
    feed.watch(id, {});
    std::optional<Measure> measure;
    QObject::connect(&feed, &Feed::measured, &feed, [&](const Measure& arrived) { measure = arrived; });
    feed.wantMeasure(id, range);
    ASSERT_TRUE(eventually([&] { return measure.has_value(); }));
    EXPECT_GT(expected, 0);
    EXPECT_EQ(measure->mean.hidden, expected / 4);
    EXPECT_EQ(measure->mean.compute + measure->mean.blocked + measure->mean.idle, range.end - range.start);
}

}  // namespace
}  // namespace dasgd::gui
