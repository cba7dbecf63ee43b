#include "gui/figures/figure_setup.h"

#include <gtest/gtest.h>

#include "gui/figures/figure_curves.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

FigureContent contentOf(const Workspace& workspace, const FigureSpec& spec) {
    auto reader = storage::RunReader::open(workspace.path()).value();
    return readFigure(reader, spec, allRuns(reader).value()).value();
}

bool saysDifference(const FigureContent& content) {
    return !content.paperNotes().filter(QStringLiteral("set-ups differ: workers 2 / 4")).isEmpty();
}

TEST(FigureSetup, CurvesAndBarsOfRunsWithOtherWorkersSaySo) {
    Workspace workspace;
    const QString two = workspace.record({.ranks = 2, .steps = 60});
    const QString alike = workspace.record({.algorithm = "sync_sgd", .ranks = 2, .steps = 60});
    const QString four = workspace.record({.algorithm = "sync_sgd", .ranks = 4, .steps = 60});
    for (const FigureKind kind : {FigureKind::Curves, FigureKind::Bars, FigureKind::Scatter}) {
        FigureSpec spec;
        spec.kind = kind;
        spec.runs = {two, alike};
        EXPECT_FALSE(saysDifference(contentOf(workspace, spec))) << static_cast<int>(kind);
        spec.runs = {two, four};
        EXPECT_TRUE(saysDifference(contentOf(workspace, spec))) << static_cast<int>(kind);
    }
}

TEST(FigureSetup, ScalingIsOverNumbersOfWorkers) {
    Workspace workspace;
    FigureSpec spec;
    spec.kind = FigureKind::Scaling;
    for (const int ranks : {2, 4}) spec.runs << workspace.record({.ranks = ranks, .steps = 60});
    EXPECT_FALSE(saysDifference(contentOf(workspace, spec)));
}

}  // namespace
}  // namespace dasgd::gui
