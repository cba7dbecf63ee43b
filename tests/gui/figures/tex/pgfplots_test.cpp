// Documents for pgfplots; compiled where pdflatex and pgfplots are installed.
#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cmath>

#include "gui/data/spans/span_colors.h"
#include "gui/figures/export/figure_files.h"
#include "gui/figures/tex/latex.h"
#include "tests/gui/support/curves.h"
#include "tests/gui/support/timeline_window.h"

namespace dasgd::gui {
namespace {

const QString kHostile = QStringLiteral("\\input{x} 50 % a_b \"q\" =cmd() $ # & ^ ~ τ 4, 中 é");

QString outputOf(const QString& program, const QStringList& arguments, const QString& folder = {}) {
    QProcess process;
    process.setWorkingDirectory(folder);
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    if (!process.waitForFinished(50'000)) return QStringLiteral("did not end");
    return QString::fromUtf8(process.readAll());
}

// Name of the first program or package that compiling lacks; "" where none is missing.
QString missing() {
    if (QStandardPaths::findExecutable(QStringLiteral("pdflatex")).isEmpty()) return QStringLiteral("pdflatex");
    for (const char* package : {"pgfplots.sty", "booktabs.sty"}) {
        if (outputOf(QStringLiteral("kpsewhich"), {QLatin1String(package)}).trimmed().isEmpty())
            return QLatin1String(package);
    }
    return {};
}

FigureContent twoCurves() {
    FigureContent content{.axes = {.x = kHostile, .y = QStringLiteral("loss [%]"), .logY = true}};
    content.curves = {ramp(1), ramp(2)};
    content.curves[0].name = kHostile;
    content.curves[1].style = {1, 1, 1};
    content.curves[1].deviation.assign(101, 3);
    content.curves[1].line.y[100] = std::nan("");
    content.curves[1].deviation[70] = std::nan("");
    content.curves[1].note = kHostile;
    content.table = {
        .columns = {QStringLiteral("name")}, .rows = {{kHostile}}, .notes = {kHostile, kHostile.repeated(3)}};
    return content;
}

FigureContent twoPoints() {
    FigureContent content{.kind = FigureKind::Scaling, .axes = {.x = QStringLiteral("workers"), .log2X = true}};
    content.curves.push_back({.name = QStringLiteral("dasgd"),
                              .line = {{1, 2, 4}, {10, 19, 36}},
                              .deviation = {0.1, 0.2, 0.4},
                              .kind = Curve::Kind::Points,
                              .hollow = true});
    return content;
}

TEST(Pgfplots, NumbersAreOnlyNumbers) {
    const FigureContent content = twoCurves();
    const QStringList rows = plotNumbers(content.curves, content.axes).trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(rows.front(), QStringLiteral("x1,y1,low1,high1,half1,x2,y2,low2,high2,half2"));
    EXPECT_EQ(rows.size(), 1 + 101);
    EXPECT_EQ(rows[1 + 50], QStringLiteral("50,50,50,50,0,50,100,97,103,3"));
    EXPECT_EQ(rows[1 + 70], QStringLiteral("70,70,70,70,0,70,140,nan,nan,0")) << "no band is not one of no width";
    static const QRegularExpression kNumbers(QStringLiteral("^[-+0-9.e,na]*$"));
    for (const QString& row : rows.mid(1)) EXPECT_TRUE(kNumbers.match(row).hasMatch()) << row.toStdString();
    EXPECT_TRUE(plotNumbers(content.curves, {}).contains(QLatin1String("\n1,1,1,1,0,1,2,-1,5,3\n")));
}

TEST(Pgfplots, ABandThatReachesZeroKeepsItsNumberAndGoesToTheEndOfTheLogAxis) {
    const FigureContent content = twoCurves();
    const QStringList rows = plotNumbers(content.curves, content.axes).trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(rows[1 + 1], QStringLiteral("1,1,1,1,0,1,2,-1,5,3")) << "as on a linear axis";
    const QString text = pgfplotsOf(content, {}, QStringLiteral("f.csv"));
    const double low = drawnAxes(paperFigureOf(content, {})).y.low;
    EXPECT_LT(low, 0.2);
    const QString end = QString::number(low, 'g', 7);
    EXPECT_TRUE(text.contains(QStringLiteral("ymin=%1,").arg(end))) << text.toStdString();
    EXPECT_TRUE(text.contains(
        QStringLiteral("y filter/.expression={rawy > -1e30 ? ln(max(rawy, %1)) : nan}] table[x=x2, y=low2]").arg(end)));
    FigureContent linear = content;
    linear.axes.logY = false;
    EXPECT_FALSE(pgfplotsOf(linear, {}, QStringLiteral("f.csv")).contains(QLatin1String("y filter")));
}

TEST(Pgfplots, LongCurvesKeepTheirEnds) {
    Curve curve{.name = QStringLiteral("long")};
    for (int i = 0; i < 5000; ++i) {
        curve.line.x.push_back(i);
        curve.line.y.push_back(i);
    }
    const QStringList rows = plotNumbers({curve}, {}).trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(rows.size(), 1 + static_cast<qsizetype>(kMostPlotRows));
    EXPECT_TRUE(rows[1].startsWith(QLatin1String("0,0,")));
    EXPECT_TRUE(rows.back().startsWith(QLatin1String("4999,4999,")));
}

TEST(Pgfplots, CurvesWithoutANameAreCounted) {
    FigureContent content;
    content.curves.assign(27, ramp(1));
    const QString text = pgfplotsOf(content, {}, QStringLiteral("f.csv"));
    EXPECT_EQ(text.count(QLatin1String("addlegendentry")), 24);
    EXPECT_FALSE(text.contains(QLatin1String("more curves"))) << "notes are the caption's";
}

TEST(Pgfplots, SeedsBehindAMeanAreDrawnWithoutAName) {
    FigureContent content;
    content.curves.push_back({.name = QStringLiteral("mean"), .style = {3, 0, 0}, .line = {{1, 2}, {3, 4}}});
    content.curves.front().behind = {{{1, 2}, {2, 3}}, {{1, 2, 3}, {4, 5, 6}}};
    const QString text = pgfplotsOf(content, {}, QStringLiteral("f.csv"));
    EXPECT_EQ(text.count(QLatin1String("opacity=0.3")), 2);
    EXPECT_TRUE(
        text.contains(QLatin1String("color=curve3, opacity=0.3, line width=0.4pt, no markers, forget plot] "
                                    "table[x=x3, y=y3]")));
    EXPECT_EQ(text.count(QLatin1String("addlegendentry")), 1);
    const QStringList rows = plotNumbers(content.curves, {}).trimmed().split(QLatin1Char('\n'));
    ASSERT_EQ(rows.size(), 4);
    EXPECT_TRUE(rows[0].endsWith(QLatin1String("x3,y3,low3,high3,half3")));
    EXPECT_TRUE(rows[3].startsWith(QLatin1String("nan,nan")) && rows[3].contains(QLatin1String("3,6,")));
}

FigureContent twoBars() {
    FigureContent content{.kind = FigureKind::Bars};
    content.bars = BarChart{.bars = {{.label = kHostile,
                                      .value = 17.9,
                                      .interval = 1.2,
                                      .words = QStringLiteral("17.9 ± 1.2"),
                                      .ratio = QStringLiteral("÷ 0.60"),
                                      .count = QStringLiteral("n = 4 of 5")},
                                     {.label = QStringLiteral("d 3"),
                                      .style = {2, 0, 0},
                                      .value = 30.0,
                                      .words = QStringLiteral("30.0"),
                                      .count = QStringLiteral("n = 1"),
                                      .hollow = true},
                                     {.label = QStringLiteral("d 5"),
                                      .words = QStringLiteral("not reached"),
                                      .count = QStringLiteral("n = 0 of 5")}},
                            .axis = QStringLiteral("time per step [ms], measured and simulated")};
    content.table = {.columns = {QStringLiteral("name")}, .rows = {{kHostile}}, .notes = {kHostile}};
    content.notes = QStringList{kHostile};
    return content;
}

FigureContent oneMap() {
    FigureContent content = twoBars();
    content.kind = FigureKind::Map;
    content.bars.reset();
    content.map = HeatMap{.rows = {kHostile, QStringLiteral("τ 4")},
                          .columns = {QStringLiteral("d 1"), QStringLiteral("d 3")},
                          .cells = {{.value = 1.5, .text = QStringLiteral("1.50"), .under = QStringLiteral("n 3")},
                                    {},
                                    {.value = 2.5, .text = QStringLiteral("2.50"), .incomplete = true},
                                    {.text = QStringLiteral("–")}},
                          .title = QStringLiteral("hidden [%]")};
    return content;
}

FigureContent threeRuns() {
    FigureContent content = twoBars();
    content.kind = FigureKind::Scatter;
    content.bars.reset();
    content.curves.push_back(
        {.name = kHostile, .line = {{1, 5, 3}, {10, 19, 36}}, .kind = Curve::Kind::Scatter, .hollow = true});
    return content;
}

FigureContent oneTimeline() {
    FigureContent content = twoBars();
    content.kind = FigureKind::Timeline;
    content.bars.reset();
    constexpr Ns kSecond = 1'000'000'000;
    TimelineContent timeline = oneWindowOf(QStringLiteral("a_b & 50 %"));
    timeline.remark = kHostile.repeated(3);
    timeline.frame.boxes.back().cover = 1.0F / 3;
    timeline.frame.boxes.back().base = 1.0F / 3;
    timeline.frame.untimed = {{.place = 0, .range = {kSecond, kSecond * 5 / 4}}};
    timeline.frame.links = {{.rank = 0, .launch = kSecond * 5 / 4, .use = 2 * kSecond}};
    content.timeline = std::move(timeline);
    return content;
}

FigureContent threeRanks() {
    FigureContent content = twoBars();
    content.kind = FigureKind::Graph;
    content.bars.reset();
    content.graph = RunGraph{.name = kHostile, .ranks = 3, .edges = {{0, 1, 0.5, true}, {1, 2, 0.25, false}}};
    content.notes = QStringList{kHostile};
    return content;
}

FigureContent exampleOf(FigureKind kind) {
    switch (kind) {
        case FigureKind::Graph: return threeRanks();
        case FigureKind::Scaling: return twoPoints();
        case FigureKind::Bars: return twoBars();
        case FigureKind::Map: return oneMap();
        case FigureKind::Scatter: return threeRuns();
        case FigureKind::Timeline: return oneTimeline();
        default: return twoCurves();
    }
}

TEST(Pgfplots, BarsAndCellsSayTheirNumbersAndHowManyRunsTheyAreOf) {
    const QString bars = pgfplotsOf(twoBars(), {}, QStringLiteral("f.csv"));
    EXPECT_TRUE(bars.contains(QLatin1String("17.9 $\\pm$ 1.2")));
    EXPECT_TRUE(bars.contains(QLatin1String("0.60, n = 4 of 5"))) << "with its ratio to the baseline";
    EXPECT_TRUE(bars.contains(QLatin1String("not reached")));
    EXPECT_TRUE(bars.contains(QLatin1String("fill opacity=0.18"))) << "simulated time is hollow";
    EXPECT_FALSE(bars.contains(QLatin1String("f.csv"))) << "the numbers are in the document";
    const QString map = pgfplotsOf(oneMap(), {}, QStringLiteral("f.csv"));
    EXPECT_TRUE(map.contains(QLatin1String("{1.50 \\\\ n 3}")));
    EXPECT_TRUE(map.contains(QLatin1String("440154"))) << "viridis begins dark";
    EXPECT_EQ(map.count(QLatin1String("pattern=north east lines")), 2);
}

TEST(Pgfplots, LimitsTicksLabelsAndLegendAreThoseOfThePage) {
    FigureContent content = twoPoints();
    content.curves.push_back(ramp(1));
    FigureSpec spec;
    spec.xLabel = QStringLiteral("number of workers");
    spec.yTicks = {10, 30};
    spec.legendColumns = 1;
    const DrawnAxes drawn = drawnAxes(paperFigureOf(content, spec));
    const QString text = pgfplotsOf(content, spec, QStringLiteral("f.csv"));
    EXPECT_TRUE(
        text.contains(QStringLiteral("xmin=%1, xmax=%2,").arg(drawn.x.low, 0, 'g', 7).arg(drawn.x.high, 0, 'g', 7)))
        << text.toStdString();
    EXPECT_TRUE(text.contains(QLatin1String("ytick={10,30}, yticklabels={{10},{30}}")));
    EXPECT_TRUE(text.contains(QLatin1String("xlabel={number of workers}")));
    EXPECT_TRUE(text.contains(QLatin1String("legend columns=1,")));
    spec.legend = FigureLegend::None;
    EXPECT_FALSE(pgfplotsOf(content, spec, QStringLiteral("f.csv")).contains(QLatin1String("addlegendentry")));
}

class CompileTest : public ::testing::TestWithParam<FigureKind> {};

TEST_P(CompileTest, DocumentAndTableCompileAtTheVenuesWidth) {
    if (const QString what = missing(); !what.isEmpty())
        GTEST_SKIP() << what.toStdString() << " is not installed (apt-get install texlive-pictures)";
    const FigureContent content = exampleOf(GetParam());
    const QTemporaryDir folder;
    FigureSpec spec;
    spec.kind = content.kind;
    spec.venue = QStringLiteral("icml");
    spec.width = FigureWidth::Column;
    const QString table = QStringLiteral(
                              "\\documentclass{article}\\usepackage{booktabs,graphicx}"
                              "\\setlength{\\textwidth}{3.25in}\\begin{document}") +
                          booktabsOf(content.table) + QStringLiteral("\\end{document}");
    ASSERT_TRUE(writeText(plotNumbers(content.curves, content.axes), folder.filePath(QStringLiteral("f-plot.csv"))));
    ASSERT_TRUE(writeText(pgfplotsOf(content, spec, QStringLiteral("f-plot.csv")),
                          folder.filePath(QStringLiteral("f-plot.tex"))));
    ASSERT_TRUE(writeText(table, folder.filePath(QStringLiteral("table.tex"))));
    for (const char* name : {"f-plot", "table"}) {
        const QString log = outputOf(QStringLiteral("pdflatex"),
                                     {QStringLiteral("-interaction=nonstopmode"), QStringLiteral("-halt-on-error"),
                                      QLatin1String(name) + QStringLiteral(".tex")},
                                     folder.path());
        EXPECT_TRUE(QFile::exists(folder.filePath(QLatin1String(name) + QStringLiteral(".pdf")))) << log.toStdString();
        if (content.timeline || QLatin1String(name) == QLatin1String("table")) {
            EXPECT_FALSE(log.contains(QLatin1String("Overfull"))) << "wider than its page\n" << log.toStdString();
        }
    }
    const QString pdf = folder.filePath(QStringLiteral("f-plot.pdf"));
    const QString info = outputOf(QStringLiteral("pdfinfo"), {pdf});
    EXPECT_TRUE(info.contains(QLatin1String("234 x "))) << info.toStdString();
    EXPECT_FALSE(outputOf(QStringLiteral("pdffonts"), {pdf}).contains(QLatin1String("Type 3")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompileTest,
                         ::testing::Values(FigureKind::Curves, FigureKind::Scaling, FigureKind::Bars, FigureKind::Map,
                                           FigureKind::Scatter, FigureKind::Timeline, FigureKind::Graph));

TEST(Pgfplots, ACurveWithoutAPointHasNoColumn) {
    FigureContent content = twoCurves();
    content.curves[0].line = {};
    const QStringList rows = plotNumbers(content.curves, content.axes).trimmed().split(QLatin1Char('\n'));
    EXPECT_EQ(rows.front(), QStringLiteral("x2,y2,low2,high2,half2"));
    EXPECT_EQ(rows[1 + 50], QStringLiteral("50,100,97,103,3"));
    EXPECT_FALSE(pgfplotsOf(content, {}, QStringLiteral("f.csv")).contains(QStringLiteral("x=x1")));
}

TEST(Pgfplots, AMeanOfOnePointHasAWhiskerInThePlaceOfItsBand) {
    FigureContent content{.axes = {.x = QStringLiteral("t"), .y = QStringLiteral("%"), .share = true}};
    content.curves = {{.name = QStringLiteral("a"), .line = {{7}, {40}}, .deviation = {80}, .n = {2}},
                      {.name = QStringLiteral("b"), .line = {{7, 8}, {40, 41}}, .deviation = {3, 3}, .n = {2, 2}}};
    FigureSpec spec;
    spec.markers = false;
    const QString text = pgfplotsOf(content, spec, QStringLiteral("f.csv"));
    EXPECT_TRUE(text.contains(QStringLiteral("mark=-, mark size=2.4pt, forget plot] coordinates {(7,0) (7,100)};")))
        << text.toStdString();
    EXPECT_FALSE(text.contains(QStringLiteral("name path=low1")));
    EXPECT_TRUE(text.contains(QStringLiteral("name path=low2")));
    EXPECT_EQ(text.count(QStringLiteral("coordinates {")), 1);
    EXPECT_EQ(text.count(QStringLiteral("mark repeat=")), 1) << "without its marker a point would be nothing";
    EXPECT_TRUE(plotNumbers(content.curves, content.axes).contains(QStringLiteral("\n7,40,0,100,80,"))) << "of a share";
    if (!missing().isEmpty()) GTEST_SKIP() << missing().toStdString();
    const QTemporaryDir folder;
    ASSERT_TRUE(writeText(text, folder.filePath(QStringLiteral("f.tex"))).has_value());
    ASSERT_TRUE(writeText(plotNumbers(content.curves, content.axes), folder.filePath(QStringLiteral("f.csv"))));
    const QString log = outputOf(QStringLiteral("pdflatex"), {"-interaction=nonstopmode", "f.tex"}, folder.path());
    EXPECT_TRUE(QFile::exists(folder.filePath(QStringLiteral("f.pdf")))) << log.toStdString();
    EXPECT_FALSE(log.contains(QStringLiteral("\n! "))) << log.toStdString();
}

}  // namespace
}  // namespace dasgd::gui
