// Where pdflatex and pgfplots are installed the documents are compiled.
#include <gtest/gtest.h>

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <cmath>

#include "gui/figures/figure_files.h"
#include "gui/figures/latex.h"
#include "tests/gui/support/curves.h"

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

// What is missing for compiling; "" where nothing is.
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
    static const QRegularExpression kNumbers(QStringLiteral("^[-+0-9.e,na]*$"));
    for (const QString& row : rows.mid(1)) EXPECT_TRUE(kNumbers.match(row).hasMatch()) << row.toStdString();
    EXPECT_TRUE(plotNumbers(content.curves, {}).contains(QLatin1String("\n1,1,1,1,0,1,2,-1,5,3\n")));
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
    EXPECT_TRUE(text.contains(QLatin1String("3 more curves are not named")));
}

class CompileTest : public ::testing::TestWithParam<bool> {};

TEST_P(CompileTest, DocumentAndTableCompileAtTheVenuesWidth) {
    if (const QString what = missing(); !what.isEmpty())
        GTEST_SKIP() << what.toStdString() << " is not installed (apt-get install texlive-pictures)";
    const FigureContent content = GetParam() ? twoPoints() : twoCurves();
    const QTemporaryDir folder;
    FigureSpec spec;
    spec.kind = content.kind;
    spec.venue = QStringLiteral("icml");
    spec.width = FigureWidth::Column;
    const QString table = QStringLiteral("\\documentclass{article}\\usepackage{booktabs}\\begin{document}") +
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
    }
    const QString pdf = folder.filePath(QStringLiteral("f-plot.pdf"));
    const QString info = outputOf(QStringLiteral("pdfinfo"), {pdf});
    EXPECT_TRUE(info.contains(QLatin1String("234 x "))) << info.toStdString();
    EXPECT_FALSE(outputOf(QStringLiteral("pdffonts"), {pdf}).contains(QLatin1String("Type 3")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, CompileTest, ::testing::Bool());

}  // namespace
}  // namespace dasgd::gui
