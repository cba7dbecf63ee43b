#include "gui/figures/content/timeline_figure.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QImage>
#include <cstdlib>
#include <set>

#include "gui/data/spans/span_colors.h"
#include "gui/kit/plots/paper/paper_figure.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

bool write(storage::SpanReader& reader, const storage::RunDetail& run, TimeRange window, double widthIn,
           const QString& stem) {
    const auto content = readTimeline(reader, run, window, widthIn, firstRanks(2, run.row.workers));
    if (!content) return false;
    const PaperPage page = layOut(*content, widthIn);
    return writePage(page, stem + QStringLiteral(".png")) && writePage(page, stem + QStringLiteral(".svg")) &&
           writePage(page, stem + QStringLiteral(".pdf"));
}

TEST(TimelineFigure, DrawsADozenStepsOfTheSteadyState) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 120});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    ASSERT_TRUE(reader.has_value());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    const auto window = steadyWindow(reader->spans(), run).value();
    ASSERT_TRUE(window.has_value());
    EXPECT_NEAR(static_cast<double>(window->end - window->start) / 1e6, 12 * 26.5, 30);
    const QTemporaryDir folder;
    const QString stem = folder.filePath(QStringLiteral("timeline"));
    ASSERT_TRUE(write(reader->spans(), run, *window, 5.5, stem));
    const QImage image(stem + QStringLiteral(".png"));
    EXPECT_EQ(image.width(), 1650);
    int transfer = 0, skew = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            transfer += (image.pixel(x, y) & 0xffffffU) == rgbOf(SpanKind::Transfer) ? 1 : 0;
            skew += (image.pixel(x, y) & 0xffffffU) == rgbOf(SpanKind::Skew) ? 1 : 0;
        }
    }
    EXPECT_GT(transfer, 5'000);
    EXPECT_GT(skew, 50) << "told apart from the transfer";
    QFile svg(stem + QStringLiteral(".svg"));
    ASSERT_TRUE(svg.open(QIODevice::ReadOnly));
    EXPECT_FALSE(svg.readAll().contains("<text"));
    EXPECT_TRUE(QFile::exists(stem + QStringLiteral(".pdf")));
}

TEST(TimelineFigure, ASnapshotIsToldFromAMergeInGreyToo) {
    const auto lightness = [](SpanKind kind) { return qGray(QColor::fromRgb(rgbOnPaper(kind)).rgb()); };
    EXPECT_GT(std::abs(lightness(SpanKind::Snapshot) - lightness(SpanKind::Merge)), 50);
    Workspace workspace;
    const QString id = workspace.record({.steps = 200});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const auto run = reader->runs().detail(id.toStdString());
    const auto window = steadyWindow(reader->spans(), *run);
    const auto content = readTimeline(reader->spans(), *run, **window, 5.5, firstRanks(4, run->row.workers));
    ASSERT_TRUE(content.has_value());
    std::set<std::uint32_t> snapshots;
    for (const TimelineBox& box : content->frame.boxes) {
        if (box.span.kind == SpanKind::Snapshot && box.count == 1) snapshots.insert(box.rgb);
        EXPECT_TRUE(box.span.kind != SpanKind::Merge || box.rgb != rgbOnPaper(SpanKind::Snapshot));
    }
    EXPECT_EQ(snapshots, std::set<std::uint32_t>{rgbOnPaper(SpanKind::Snapshot)});
}

// The legend of all kinds is wider than a column: it takes another row and not the page's edge.
TEST(TimelineFigure, TheLegendIsWholeAtAnyWidth) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 120});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    const auto all = reader->spans().extent(run.row.runId).value();
    const QTemporaryDir folder;
    const QString stem = folder.filePath(QStringLiteral("timeline"));
    std::vector<int> heights;
    for (const double width : {12.0, 5.5, 3.25, 2.65}) {
        ASSERT_TRUE(write(reader->spans(), run, *all, width, stem));
        const QImage image(stem + QStringLiteral(".png"));
        heights.push_back(image.height());
        // The first row of the legend, and those that make this figure higher than the widest.
        const int legend = qRound(13 * 300 / 72.0) + heights.back() - heights.front();
        int ink = 0;
        for (int y = 0; y < legend; ++y) ink += qGray(image.pixel(image.width() - 1, y)) < 250 ? 1 : 0;
        EXPECT_EQ(ink, 0) << width;
    }
    EXPECT_GT(heights.back(), heights.front()) << "more rows where it is narrow";
}

// The remark is the caption's: the artwork has nothing but rows, axis and legend.
TEST(TimelineFigure, ARemarkAddsNothingToThePage) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 120});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    const auto window = steadyWindow(reader->spans(), run).value();
    auto content = readTimeline(reader->spans(), run, *window, 2.65, firstRanks(2, run.row.workers));
    ASSERT_TRUE(content.has_value());
    const QImage without = imageOf(layOut(*content, 2.65), 2);
    content->remark = QStringLiteral("not drawn: forward, time simulated, link emulated 200 Mbit/s, 1 ms");
    EXPECT_EQ(imageOf(layOut(*content, 2.65), 2), without);
    EXPECT_EQ(inkAtEdges(without), 0);
}

TEST(TimelineFigure, SpansThatDoNotFitAreSaid) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 120});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    const auto window = steadyWindow(reader->spans(), run).value();
    const auto whole = readTimeline(reader->spans(), run, *window, 5.5, firstRanks(2, run.row.workers));
    ASSERT_TRUE(whole.has_value());
    EXPECT_FALSE(whole->cut);
    const auto cut = readTimeline(reader->spans(), run, *window, 5.5, firstRanks(2, run.row.workers), 10);
    ASSERT_TRUE(cut.has_value());
    EXPECT_TRUE(cut->cut);
    EXPECT_EQ(cut->spans.size(), 10U);
    EXPECT_TRUE(cut->remark.contains(QLatin1String("CSV: the first 10 spans")));
}

TEST(TimelineFigure, DrawsTheChosenRowsInTheirOrderWithoutTheHiddenKinds) {
    Workspace workspace;
    const QString id = workspace.record({.ranks = 6, .steps = 60});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    const auto window = steadyWindow(reader->spans(), run).value();
    FigureSpec spec;
    spec.kind = FigureKind::Timeline;
    spec.rankRows = QStringLiteral("5, 1, [slow ones: 2-4, 90]");
    spec.hiddenKinds = QStringList{QStringLiteral("forward")};
    const auto choice = timelineChoiceOf(spec, run.row.workers);
    ASSERT_TRUE(choice) << choice.error().message;
    const auto content = readTimeline(reader->spans(), run, *window, 5.5, *choice);
    ASSERT_TRUE(content) << content.error().message;
    std::vector<std::pair<int, int>> rows;
    for (const TimelineRow& row : content->frame.rows) {
        if (row.lane == Lane::Compute) rows.emplace_back(row.rank, row.ranks);
    }
    EXPECT_EQ(rows, (std::vector<std::pair<int, int>>{{5, 1}, {1, 1}, {2, 3}}));
    EXPECT_TRUE(std::ranges::none_of(content->frame.boxes, [](const TimelineBox& box) {
        return box.count == 1 && box.span.kind == SpanKind::Forward;
    }));
    EXPECT_TRUE(std::ranges::none_of(content->spans, [](const RankSpan& one) { return one.rank == 0; }));
    EXPECT_TRUE(
        content->remark.startsWith(QStringLiteral("5 of 6 ranks, rank 90 is not in this run, not drawn: forward")))
        << content->remark.toStdString();
    EXPECT_EQ(inkAtEdges(imageOf(layOut(*content, 5.5), 300.0 / 72)), 0);
    const auto all = readTimeline(reader->spans(), run, *window, 5.5, firstRanks(6, 6));
    EXPECT_NE(imageOf(layOut(*all, 5.5), 1), imageOf(layOut(*content, 5.5), 1));
}

TEST(TimelineFigure, ARunWithoutSpansHasNoWindow) {
    Workspace workspace;
    const QString id = workspace.record({.steps = 0});
    auto reader = storage::WorkspaceReader::open(workspace.path());
    const storage::RunDetail run = reader->runs().detail(id.toStdString()).value();
    EXPECT_FALSE(steadyWindow(reader->spans(), run).value().has_value());
}

}  // namespace
}  // namespace dasgd::gui
