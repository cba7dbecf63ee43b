#include "gui/figures/content/timeline_runs.h"

#include <gtest/gtest.h>

#include "gui/figures/content/figure_curves.h"
#include "gui/figures/content/figure_setup.h"
#include "gui/figures/tex/latex.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/edges.h"

namespace dasgd::gui {
namespace {

class TimelineRunsTest : public ::testing::Test {
protected:
    TimelineRunsTest() {
        spec_.kind = FigureKind::Timeline;
        spec_.eachRun = true;
        spec_.ranks = 1;
        for (const char* algorithm : {"dasgd", "local_sgd", "sync_sgd"})
            spec_.runs << workspace_.record({.algorithm = algorithm, .steps = 120});
        spec_.runs << workspace_.record({.algorithm = "sync_sgd", .seed = 2, .steps = 120});
    }
    FigureContent content() {
        auto reader = storage::WorkspaceReader::open(workspace_.path()).value();
        return readFigure(reader, spec_, allRuns(reader.runs()).value()).value();
    }
    Workspace workspace_;
    FigureSpec spec_;
};

TEST_F(TimelineRunsTest, ARunOfEveryConfigurationHasRowsFromACommonZero) {
    const FigureContent shown = content();
    ASSERT_EQ(shown.nothing, QString());
    ASSERT_TRUE(shown.timeline.has_value());
    const TimelineFrame& frame = shown.timeline->frame;
    ASSERT_EQ(frame.plan->size(), 3U) << "the second seed is no row of its own";
    EXPECT_EQ(frame.rows.size(), 6U);
    EXPECT_EQ(shown.timeline->window.start, 0);
    EXPECT_TRUE((*frame.plan)[0].name.startsWith(QStringLiteral("dasgd")));
    std::map<int, Ns> first;  // by row
    for (const TimelineBox& box : frame.boxes) {
        if (box.span.start < 0 || frame.rows[static_cast<std::size_t>(box.row)].lane != Lane::Compute) continue;
        first.try_emplace(box.row, box.span.start);
        first[box.row] = std::min(first[box.row], box.span.start);
    }
    ASSERT_EQ(first.size(), 3U);
    for (const auto& [row, start] : first) EXPECT_LT(start, 5'000'000) << "a step begins at zero, row " << row;
    EXPECT_TRUE(shown.csv.startsWith(QLatin1String("configuration,run_id,rank,")));
    for (const QString& run : spec_.runs.mid(0, 3)) EXPECT_TRUE(shown.csv.contains(run));
    EXPECT_EQ(shown.sources.size(), 3U);
    EXPECT_TRUE(captionOf(shown, spec_).contains(QStringLiteral("zero is"))) << captionOf(shown, spec_).toStdString();
}

TEST_F(TimelineRunsTest, NamesAndOrderAreThoseOfTheFigureOnPageAndInTex) {
    spec_.ranks = 2;
    spec_.order = QStringList{QStringLiteral("sync_sgd")};
    spec_.names[QStringLiteral("sync_sgd")] = QStringLiteral("Synchronous SGD");
    const FigureContent shown = content();
    ASSERT_TRUE(shown.timeline.has_value());
    EXPECT_EQ((*shown.timeline->frame.plan)[0].name, QStringLiteral("Synchronous SGD, rank 0"));
    const QString tex = pgfplotsOf(shown, spec_, QStringLiteral("f.csv"));
    EXPECT_TRUE(tex.contains(QLatin1String("\\textbf{Synchronous SGD, rank 1}~compute"))) << tex.toStdString();
    EXPECT_TRUE(tex.contains(QLatin1String(" ms}")));
    EXPECT_EQ(inkAtEdges(imageOf(layOut(shown, spec_), 300.0 / 72)), 0);
}

}  // namespace
}  // namespace dasgd::gui
