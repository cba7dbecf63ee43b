#include "gui/figures/content/figure_content.h"

#include <gtest/gtest.h>

#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include "gui/compare/model/compare_legend_model.h"
#include "gui/figures/content/figure_curves.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/tex/latex.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/compare_bench.h"
#include "tests/gui/support/edges.h"
#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class FigureContentTest : public ::testing::Test {
protected:
    Result<FigureContent> read(const FigureSpec& spec) {
        auto reader = storage::WorkspaceReader::open(workspace_.path());
        return readFigure(*reader, spec, allRuns(reader->runs()).value());
    }
    Workspace workspace_;
};

TEST_F(FigureContentTest, AFilterFollowsTheRunsThatAreAdded) {
    workspace_.record({.seed = 1, .steps = 60});
    FigureSpec spec;
    spec.filter = QStringLiteral("experiment = delay-sweep");
    const auto one = read(spec);
    ASSERT_TRUE(one.has_value()) << one.error().message;
    EXPECT_EQ(one->inWords(), QStringLiteral("1 curve, 1 run"));
    workspace_.record({.seed = 2, .steps = 60});
    workspace_.record({.algorithm = "sync_sgd", .steps = 60});
    workspace_.record({.seed = 3, .steps = 20, .status = "stopped"});
    const auto more = read(spec);
    EXPECT_EQ(more->inWords(), QStringLiteral("2 curves, 3 of 4 runs"));
    EXPECT_EQ(more->curves[0].name, QStringLiteral("dasgd (mean and range, n = 2)"));
    EXPECT_EQ(more->curves[0].note, QStringLiteral("seed 3 was stopped at step 20 of 20, left out"));
    EXPECT_EQ(more->curves[0].style, one->curves[0].style) << "a configuration keeps its style";
    EXPECT_NE(imageOf(layOut(*one, spec), 1), imageOf(layOut(*more, spec), 1));
}

TEST_F(FigureContentTest, ALabelOfTheUsersDoesNotHideWhatKindOfTimeIsDrawn) {
    workspace_.record({.steps = 60});
    FigureSpec spec;
    spec.filter = QStringLiteral("experiment = delay-sweep");
    spec.x = XAxis::Training;
    const QString usual = read(spec)->axes.x;
    spec.xLabel = QStringLiteral("time");
    const auto named = read(spec);
    EXPECT_EQ(paperFigureOf(*named, spec).axes.x, QStringLiteral("time"));
    EXPECT_TRUE(named->allNotes().contains(QStringLiteral("x axis: ") + usual));
    spec.xLabel.clear();
    EXPECT_TRUE(read(spec)->allNotes().filter(QStringLiteral("x axis")).isEmpty());
}

// The table alone would be read as numbers of one budget.
TEST_F(FigureContentTest, ATableOfCurvesThatEndApartSaysSo) {
    workspace_.record({.steps = 60});
    workspace_.record({.algorithm = "sync_sgd", .steps = 60});
    FigureSpec spec;
    spec.filter = QStringLiteral("experiment = delay-sweep");
    spec.x = XAxis::Step;
    EXPECT_TRUE(read(spec)->table.notes.filter(QStringLiteral("budget")).isEmpty()) << "both end at one step";
    workspace_.record({.algorithm = "local_sgd", .steps = 40});
    const QString note = QStringLiteral("each at the mean end of its seeds in local steps, not at an equal budget");
    EXPECT_TRUE(read(spec)->table.notes.contains(note)) << read(spec)->table.notes.join(u'|').toStdString();
}

TEST(FigureContentWords, CountsAreGroupedAsOnThePages) {
    FigureContent content{.kind = FigureKind::Curves};
    content.curves.resize(12000);
    for (Curve& curve : content.curves) curve.line = {{1}, {1}};
    FigureSource source;
    source.runs.assign(24000, makeRun("r", "dasgd"));
    source.drawn.assign(24000, true);
    content.sources.push_back(source);
    EXPECT_EQ(content.inWords(), counted(12000, "curve") + QStringLiteral(", ") + counted(24000, "run"));
    content.sources[0].drawn[0] = false;
    EXPECT_TRUE(content.inWords().endsWith(QStringLiteral("%1 of %2 runs").arg(grouped(23999), grouped(24000))));
    EXPECT_FALSE(content.inWords().contains(QStringLiteral("12000")));
}

// Legend, CSV, table, and pictures without markers tell simulated curves by name; pictures with markers by these too.
TEST_F(FigureContentTest, SimulatedCurvesAreToldFromMeasuredOnesWhereTimeIsDrawn) {
    workspace_.record({.steps = 60});
    workspace_.record({.experiment = "elsewhere", .algorithm = "sync_sgd", .steps = 60, .simulated = true});
    FigureSpec spec;
    spec.filter = QStringLiteral("steps > 0");
    spec.x = XAxis::Wall;
    const auto mixed = read(spec);
    ASSERT_TRUE(mixed.has_value()) << mixed.error().message;
    ASSERT_EQ(mixed->curves.size(), 2U);
    EXPECT_TRUE(mixed->axes.x.endsWith(QStringLiteral(", of hollow markers simulated"))) << mixed->axes.x.toStdString();
    int simulated = 0;
    for (std::size_t i = 0; i < 2; ++i) {
        const Curve& curve = mixed->curves[i];
        EXPECT_EQ(curve.hollow, curve.name.endsWith(QStringLiteral("(time simulated)"))) << curve.name.toStdString();
        EXPECT_EQ(mixed->table.rows[static_cast<qsizetype>(i)][0], curve.name);
        simulated += curve.hollow ? 1 : 0;
    }
    EXPECT_EQ(simulated, 1);
    FigureContent filled = *mixed;
    for (Curve& curve : filled.curves) curve.hollow = false;
    EXPECT_NE(imageOf(layOut(filled, spec), 2), imageOf(layOut(*mixed, spec), 2));
    spec.filter = QStringLiteral("simulated");
    const auto alone = read(spec);
    EXPECT_TRUE(alone->axes.x.endsWith(QStringLiteral(", time simulated"))) << alone->axes.x.toStdString();
    EXPECT_FALSE(alone->curves[0].name.contains(QStringLiteral("simulated"))) << "the axis says it of all";
    spec.filter = QStringLiteral("steps > 0");
    spec.x = XAxis::Step;
    for (const Curve& curve : read(spec)->curves) EXPECT_FALSE(curve.hollow) << "no time is drawn";
}

TEST_F(FigureContentTest, ATimelineHasTheTotalsOfItsWindow) {
    workspace_.record({.ranks = 2, .steps = 60});
    FigureSpec spec;
    spec.kind = FigureKind::Timeline;
    const auto content = read(spec);
    ASSERT_TRUE(content.has_value()) << content.error().message;
    ASSERT_EQ(content->table.columns.size(), 4);
    double sum = 0;
    bool backward = false;
    for (const QStringList& row : content->table.rows) {
        backward = backward || row[0] == QLatin1String("backward");
        if (!row[0].contains(QLatin1Char(':'))) sum += row[3].toDouble();
    }
    EXPECT_TRUE(backward);
    EXPECT_NEAR(sum, 100, 0.6) << "what is not beside adds up to the window";
    EXPECT_TRUE(content->table.notes.front().contains(QLatin1String("mean of 2 ranks")));
}

TEST_F(FigureContentTest, WhatCannotBeDrawnIsSaid) {
    const QString id = workspace_.record({.steps = 20});
    FigureSpec spec;
    spec.runs = QStringList{QStringLiteral("gone")};
    EXPECT_EQ(read(spec)->nothing, QStringLiteral("There is no run gone in this workspace."));
    spec.runs = QStringList{id, QStringLiteral("gone")};
    EXPECT_EQ(read(spec)->missing, QStringList{QStringLiteral("gone")});
    EXPECT_TRUE(read(spec)->nothing.isEmpty());
    spec.metric = QStringLiteral("no/such");
    EXPECT_EQ(read(spec)->nothing, QStringLiteral("None of these runs has recorded no/such."));
    spec.runs.clear();
    spec.filter = QStringLiteral("delay > 99");
    EXPECT_EQ(read(spec)->nothing, QStringLiteral("No run passes the filter \"delay > 99\"."));
    spec.filter = QStringLiteral("delya > 9");
    EXPECT_FALSE(read(spec).has_value());
}

TEST_F(FigureContentTest, TimeSaysWhatKindOfTimeItIs) {
    workspace_.record({.steps = 20});
    FigureSpec spec;
    spec.x = XAxis::Wall;
    spec.metric = QStringLiteral("throughput/samples_per_s");
    const auto content = read(spec);
    EXPECT_EQ(content->axes.x, QStringLiteral("wall time [s], link emulated"));
    EXPECT_EQ(content->axes.y, QStringLiteral("samples/s, link emulated"));
    EXPECT_TRUE(content->paperNotes().contains(QStringLiteral("wall time: start-up and evaluations included")));
    spec.x = XAxis::Training;
    EXPECT_EQ(read(spec)->axes.x, QStringLiteral("training time [s], link emulated"));
    EXPECT_TRUE(read(spec)->paperNotes().contains(QStringLiteral("training time: start-up and evaluations left out")));
    spec.x = XAxis::Step;
    EXPECT_FALSE(read(spec)->paperNotes().join(u' ').contains(QStringLiteral("wall time")));
}

TEST_F(FigureContentTest, AConfigurationWithoutAMeanIsInTheTableAndTheNotes) {
    for (const int seed : {1, 2}) {
        workspace_.record({.algorithm = "sync_sgd", .seed = seed, .steps = 30});
        workspace_.record({.seed = seed, .steps = 30, .lateS = 100.0 * seed});
    }
    FigureSpec spec;
    spec.filter = QStringLiteral("experiment = delay-sweep");
    spec.x = XAxis::Wall;
    const auto content = read(spec);
    ASSERT_TRUE(content.has_value()) << content.error().message;
    EXPECT_EQ(content->inWords(), QStringLiteral("1 curve, 2 of 4 runs"));
    EXPECT_TRUE(content->nothing.isEmpty());
    ASSERT_EQ(content->table.rows.size(), 2U);
    const bool first = content->table.rows[0][0].startsWith(QStringLiteral("dasgd"));
    const QStringList& row = content->table.rows[first ? 0 : 1];
    EXPECT_EQ(row.mid(0, 4), (QStringList{QStringLiteral("dasgd (no mean)"), QStringLiteral("0"), kAbsent, kAbsent}));
    EXPECT_EQ(content->allNotes().filter(QStringLiteral("dasgd (no mean): no mean: seeds have no stretch")).size(), 1);
    spec.filter = QStringLiteral("algorithm = dasgd");
    EXPECT_TRUE(read(spec)->nothing.contains(QStringLiteral("seeds have no stretch of time in common")))
        << "an empty picture says why";
}

// The end of the curve, the value of the legend, the table and the files of the figure: one number and one n, whatever
// became of the seeds and over whatever axis.
class OneNumberTest : public FigureContentTest {
protected:
    OneNumberTest() {
        for (const int seed : {1, 2, 3, 4}) {
            // The last seed of each was stopped; the others took different times, and of dasgd also different steps.
            const bool early = seed == 4;
            for (const char* algorithm : {"dasgd", "sync_sgd"}) {
                const bool uneven = std::string(algorithm) == "dasgd" && seed == 2;
                workspace_.record({.algorithm = algorithm,
                                   .seed = seed,
                                   .ranks = 2,
                                   .steps = early    ? 60
                                            : uneven ? 150
                                                     : 200,
                                   .stepsPerEpoch = 50,
                                   .stepMs = 20.0 + 3 * seed,
                                   .status = early ? "stopped" : "finished",
                                   .testLoss = true});
            }
        }
        workspace_.record({.algorithm = "local_sgd", .seed = 1, .ranks = 2, .stepsPerEpoch = 50, .testLoss = true});
        workspace_.record({.algorithm = "local_sgd", .seed = 2, .ranks = 2, .stepsPerEpoch = 50, .testLoss = true});
    }
};

TEST_F(OneNumberTest, IsTheSameOnThePageInTheTableAndInEveryFile) {
    Feed feed(workspace_.path());
    Session session(feed);
    CompareBoard board(session);
    CompareLegendModel legend(board);
    board.choice.setWatching(true);
    ASSERT_TRUE(eventually([&] { return session.runs().items().size() == 10; }));
    board.choice.takeNewestExperiment();
    for (const XAxis axis : {XAxis::Step, XAxis::Samples, XAxis::Wall, XAxis::Training}) {
        const CompareCurveKey key{"eval/loss", axis};
        board.curves.want(this, key);
        ASSERT_EQ(board.choice.groups().size(), 3U);
        ASSERT_TRUE(eventually([&] {
            return board.results.row(0) && board.curves.curve(key, 0) && board.curves.curve(key, 1) &&
                   board.curves.curve(key, 2);
        }));
        FigureSpec spec;
        spec.filter = board.choice.origin();
        spec.metric = QStringLiteral("eval/loss");
        spec.x = axis;
        const auto content = read(spec);
        ASSERT_TRUE(content.has_value()) << content.error().message;
        ASSERT_EQ(content->curves.size(), 3U);
        const QStringList lines = curvesCsv(content->curves, content->axes, QString()).split(u'\n');
        for (std::size_t i = 0; i < 3; ++i) {
            const GroupCurve& shown = *board.curves.curve(key, i);
            const double end = shown.mean.mean.y.back();
            const auto n = static_cast<std::size_t>(shown.mean.n.back());
            const Sample& table = board.results.row(i)->finalLoss;
            EXPECT_EQ(n, board.choice.groups()[i].name.startsWith(QStringLiteral("local")) ? 2U : 3U);
            EXPECT_EQ(end, table.mean) << board.choice.groups()[i].name.toStdString() << " over axis "
                                       << static_cast<int>(axis);
            EXPECT_EQ(n, table.n);
            const double spread = shown.spreadAt(shown.mean.n.size() - 1, Spread::Std);
            EXPECT_EQ(spread, *spreadOf(table, Spread::Std));
            const QModelIndex row = legend.index(legend.rowOf(i));
            EXPECT_EQ(row.data(CompareLegendModel::ValueRole).toString(), spreadInWords(table));
            EXPECT_EQ(row.data(CompareLegendModel::CountRole).toString().section(u' ', 0, 0).toULongLong(), n);
            const Curve& printed = content->curves[i];
            EXPECT_TRUE(printed.name.startsWith(board.choice.groups()[i].name)) << printed.name.toStdString();
            EXPECT_EQ(printed.line.y, shown.mean.mean.y) << "all of the curve";
            EXPECT_EQ(printed.n, shown.mean.n);
            EXPECT_EQ(printed.deviation.back(), spread);
            const QString name = csvField(printed.name) + u',';
            const QStringList last = lines.filter(name).back().mid(name.size()).split(u',');
            EXPECT_EQ(last[1].toDouble(), end) << last.join(u',').toStdString();
            EXPECT_EQ(last[2].toDouble(), spread);
            EXPECT_EQ(last[3].toULongLong(), n);
            const QStringList plotted = plotNumbers({printed}, content->axes).trimmed().split(u'\n');
            EXPECT_EQ(plotted[std::ssize(printed.line.x)].section(u',', 1, 1), QString::number(end, 'g', 7))
                << "for TeX";
        }
    }
}

// Every kind, of runs with long names, some of which did not finish.
class EveryFigureTest : public FigureContentTest, public ::testing::WithParamInterface<FigureKind> {
protected:
    EveryFigureTest() {
        recordCompared(workspace_);
        workspace_.record({.algorithm = "local_sgd", .steps = 60});
        recordTwoLines(workspace_.store());
    }
    [[nodiscard]] static FigureSpec specOf(FigureKind kind) {
        FigureSpec spec;
        spec.kind = kind;
        spec.filter = kind == FigureKind::Scaling ? QStringLiteral("experiment = scaling")
                                                  : QStringLiteral("experiment = delay-sweep");
        spec.names[QStringLiteral("sync_sgd")] = QStringLiteral("Synchronous SGD with a very long name indeed, W");
        if (kind == FigureKind::Curves) spec.lines = FigureLines::MeanAndSeeds;
        if (kind != FigureKind::Panels) return spec;
        spec.filter.clear();
        for (const FigureKind panel :
             {FigureKind::Curves, FigureKind::Timeline, FigureKind::Map, FigureKind::Scatter}) {
            spec.panels.push_back(specOf(panel));
        }
        return spec;
    }
};

// No label, legend or box reaches the page's edge, at any width.
TEST_P(EveryFigureTest, NothingIsCutAtAnyVenue) {
    FigureSpec spec = specOf(GetParam());
    for (const Venue& venue : venues()) {
        for (const FigureWidth width : {FigureWidth::Column, FigureWidth::Full}) {
            spec.venue = QLatin1String(venue.id);
            spec.width = width;
            const auto content = read(spec);
            ASSERT_TRUE(content.has_value()) << content.error().message;
            ASSERT_EQ(content->nothing, QString());
            const PaperPage page = layOut(*content, spec);
            EXPECT_EQ(page.size.width(), spec.inchesWide() * 72);
            EXPECT_EQ(inkAtEdges(imageOf(page, 300.0 / 72)), 0) << venue.id << ' ' << spec.inchesWide() << " in";
        }
    }
}

TEST_P(EveryFigureTest, PdfFontsAreEmbeddedAndNotType3) {
    const QString tool = QStandardPaths::findExecutable(QStringLiteral("pdffonts"));
    ASSERT_FALSE(tool.isEmpty()) << "install poppler-utils";
    const FigureSpec spec = specOf(GetParam());
    const auto content = read(spec);
    ASSERT_TRUE(content.has_value()) << content.error().message;
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("figure.pdf"));
    ASSERT_TRUE(writePage(layOut(*content, spec), file).has_value());
    QProcess process;
    process.start(tool, {file});
    ASSERT_TRUE(process.waitForFinished());
    const QStringList fonts = QString::fromUtf8(process.readAllStandardOutput()).trimmed().split(QLatin1Char('\n'));
    ASSERT_GT(fonts.size(), 2) << "two lines of head, then the fonts: text is text";
    const auto column = fonts.front().indexOf(QStringLiteral("emb"));
    for (const QString& font : fonts.mid(2)) {
        EXPECT_FALSE(font.contains(QStringLiteral("Type 3"))) << font.toStdString();
        EXPECT_EQ(font.mid(column, 3), QStringLiteral("yes")) << font.toStdString();
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, EveryFigureTest,
                         ::testing::Values(FigureKind::Curves, FigureKind::Timeline, FigureKind::Scaling,
                                           FigureKind::Bars, FigureKind::Map, FigureKind::Scatter, FigureKind::Panels),
                         [](const auto& kind) { return kindWords()[static_cast<int>(kind.param)].toStdString(); });

// Okabe and Ito's eight without the yellow, and Tol's bright seven.
TEST(FigurePalettes, AreThoseThatTheyAreCalled) {
    const auto namesOf = [](FigurePalette palette) {
        std::set<std::string> names;
        for (const QColor& color : paletteOf(palette)) names.insert(color.name().toStdString());
        return names;
    };
    EXPECT_EQ(namesOf(FigurePalette::OkabeIto),
              (std::set<std::string>{"#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7", "#000000"}));
    EXPECT_EQ(namesOf(FigurePalette::TolBright),
              (std::set<std::string>{"#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"}));
}

TEST_F(FigureContentTest, ManyRunsThatAreLeftOutAreCountedBelowAndNamedInTheRecord) {
    for (int seed = 1; seed <= 5; ++seed) {
        for (const char* algorithm : {"dasgd", "sync_sgd"}) {
            const char* status = seed > 1 ? "stopped" : "finished";
            workspace_.record({.algorithm = algorithm, .seed = seed, .steps = 60, .status = status});
        }
    }
    for (const FigureKind kind : {FigureKind::Bars, FigureKind::Map}) {
        FigureSpec spec;
        spec.kind = kind;
        spec.heightIn = 2.15;
        const auto content = read(spec);
        ASSERT_TRUE(content.has_value()) << content.error().message;
        EXPECT_EQ(content->leftOut.size(), 8);
        EXPECT_EQ(content->allNotes().filter(QStringLiteral("stopped at step")).size(), 8);
        EXPECT_EQ(content->paperNotes().filter(QStringLiteral("8 runs left out")).size(), 1);
        EXPECT_TRUE(content->paperNotes().filter(QStringLiteral("stopped at step")).isEmpty());
        EXPECT_LT(layOut(*content, spec).heightIn(), 4);
    }
}

}  // namespace
}  // namespace dasgd::gui
