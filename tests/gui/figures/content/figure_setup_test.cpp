#include "gui/figures/content/figure_setup.h"

#include <gtest/gtest.h>

#include "gui/figures/content/figure_curves.h"
#include "gui/figures/tex/latex.h"
#include "tests/gui/support/bench.h"
#include "tests/support/runs.h"

namespace dasgd::gui {
namespace {

FigureContent contentOf(const Workspace& workspace, const FigureSpec& spec) {
    auto reader = storage::WorkspaceReader::open(workspace.path()).value();
    return readFigure(reader, spec, allRuns(reader.runs()).value()).value();
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

TEST(FigureSetup, ACaptionLeadsFromThePaperToTheRuns) {
    Workspace workspace;
    FigureSpec spec;
    spec.title = QStringLiteral("Loss");
    for (int seed = 1; seed <= 2; ++seed) spec.runs << workspace.record({.seed = seed, .ranks = 2, .steps = 60});
    const FigureContent curves = contentOf(workspace, spec);
    const std::string commit = curves.sources.at(0).runs.at(0)->row.gitCommit.substr(0, 12);
    ASSERT_FALSE(commit.empty());
    const QString expected =
        QStringLiteral("n = 2, commit %1, runs in figure.json").arg(QString::fromStdString(commit));
    EXPECT_TRUE(curves.setup.contains(QStringLiteral("2 workers, "))) << curves.setup.toStdString();
    EXPECT_TRUE(curves.setup.endsWith(expected)) << curves.setup.toStdString();
    EXPECT_EQ(captionOf(curves, spec), QStringLiteral("Loss. ") + curves.setup + QLatin1Char('.'));
    EXPECT_TRUE(curves.table.notes.contains(curves.setup));
    spec.caption = QStringLiteral("What was written.");
    EXPECT_TRUE(captionOf(curves, spec).startsWith(QStringLiteral("What was written. ")));
    // The set-up of a single run names the run.
    spec.runs = {spec.runs[0]};
    EXPECT_TRUE(contentOf(workspace, spec).setup.endsWith(QStringLiteral("run ") + spec.runs[0]));
    EXPECT_EQ(captionTex(QStringLiteral("50 % of a_b")), QStringLiteral("\\caption{50 \\% of a\\_b}\n"));
}

TEST(FigureSetup, ACaptionSaysInWhatSetUpsDifferAndPanelsHaveTheirs) {
    Workspace workspace;
    FigureSpec two, four;
    two.runs = {workspace.record({.ranks = 2, .steps = 60})};
    four.runs = {workspace.record({.algorithm = "sync_sgd", .ranks = 4, .steps = 60})};
    FigureSpec both;
    both.runs = two.runs + four.runs;
    EXPECT_TRUE(
        captionOf(contentOf(workspace, both), both).contains(QStringLiteral(" Set-ups differ: workers 2 / 4.")));
    FigureSpec panels{.kind = FigureKind::Panels};
    panels.panels = {two, four, two};
    const QString caption = captionOf(contentOf(workspace, panels), panels);
    EXPECT_TRUE(caption.startsWith(QStringLiteral("(a)(c) "))) << caption.toStdString();
    EXPECT_TRUE(caption.contains(QStringLiteral(" (b) "))) << caption.toStdString();
    EXPECT_FALSE(caption.contains(QStringLiteral("differ"))) << "each panel is of one set-up";
    // Panels that compare runs of different set-ups say so.
    panels.panels = {two, both, both};
    const QString mixed = captionOf(contentOf(workspace, panels), panels);
    EXPECT_TRUE(mixed.endsWith(QStringLiteral(" (b)(c) set-ups differ: workers 2 / 4."))) << mixed.toStdString();
}

TEST(FigureSetup, SaysThatOtherProgramsTookCoresBesideTheRunsThatAreDrawn) {
    test::OneRun one(1);
    for (std::int64_t step = 1; step <= 4; ++step) {
        for (const auto& [name, value] :
             {std::pair("host/cpu_cores", 2.0), std::pair("process/cpu_cores", 1.0), std::pair("train/loss", 1.0)})
            one.rank(0).metric({.name = name, .step = step, .wall = step * 1'000'000'000, .value = value});
    }
    one.finish();
    FigureSpec spec;
    spec.runs = {QString::fromStdString(one.runId)};
    spec.x = XAxis::Wall;
    const QString words = QStringLiteral("ther programs took cores beside 1 of 1 runs of ");
    const auto content = [&] {
        auto reader = one.reader();
        return readFigure(reader, spec, allRuns(reader.runs()).value()).value();
    };
    EXPECT_TRUE(content().paperNotes().filter(words).isEmpty()) << "of how many cores is not known";
    one.describe("EPYC, 2 cores to use, 24.0 GB memory");
    const FigureContent disturbed = content();
    EXPECT_FALSE(disturbed.paperNotes().filter(words).isEmpty());
    EXPECT_FALSE(disturbed.table.notes.filter(words).isEmpty());
    const QString caption = captionOf(disturbed, spec);
    EXPECT_TRUE(caption.contains(QStringLiteral(" O") + words)) << caption.toStdString();
    EXPECT_TRUE(caption.contains(QStringLiteral("commit 0123456789ab with uncommitted changes, run ")))
        << caption.toStdString();
    spec.x = XAxis::Step;
    EXPECT_TRUE(content().paperNotes().filter(words).isEmpty()) << "a loss over steps has no time in it";
}

}  // namespace
}  // namespace dasgd::gui
