// Text of charts for pgfplots. pgfplots_test shows that such documents compile.
#include "gui/figures/tex/pgf_charts.h"

#include <gtest/gtest.h>

#include "gui/figures/tex/latex.h"

namespace dasgd::gui {
namespace {

FigureContent oneBar(double value, double half) {
    FigureContent content{.kind = FigureKind::Bars};
    content.bars = BarChart{.bars = {{.label = QStringLiteral("d_3"),
                                      .value = value,
                                      .interval = half,
                                      .words = QStringLiteral("%1 ± %2").arg(value).arg(half),
                                      .count = QStringLiteral("n = 3 of 4")}},
                            .axis = QStringLiteral("time per step [ms]")};
    content.notes = QStringList{QStringLiteral("d 3, seed 4 failed, left out")};
    return content;
}

TEST(PgfCharts, AWhiskerEndsAtZero) {
    const QString whole = barsPicture(oneBar(10, 2), {}), cut = barsPicture(oneBar(10, 12), {});
    EXPECT_TRUE(whole.contains(QLatin1String("(axis cs:8,1) -- (axis cs:12,1)"))) << whole.toStdString();
    EXPECT_TRUE(cut.contains(QLatin1String("(axis cs:0,1) -- (axis cs:22,1)"))) << cut.toStdString();
}

TEST(PgfCharts, TheAxisOfAShareEndsAtTheWhole) {
    FigureContent content = oneBar(98, 1);
    EXPECT_FALSE(barsPicture(content, {}).contains(QLatin1String("xtick=")));
    content.bars->most = 100;
    const QString text = barsPicture(content, {});
    const QString ticks = text.section(QLatin1String("xtick={"), 1).section(QLatin1Char('}'), 0, 0);
    EXPECT_TRUE(ticks.startsWith(QLatin1String("0,")) && ticks.endsWith(QLatin1String(",100"))) << ticks.toStdString();
    content.bars->bars[0].value = 160;
    EXPECT_FALSE(barsPicture(content, {}).contains(QLatin1String("xtick=")));
}

TEST(PgfCharts, BarsNameTheirRunsAndWhatWasLeftOut) {
    const QString text = barsPicture(oneBar(10, 2), {});
    for (const char* part : {"n = 3 of 4", "d\\_3", "time per step [ms]"})
        EXPECT_TRUE(text.contains(QLatin1String(part))) << part;
    const QString note = QStringLiteral("seed 4 failed, left out");
    EXPECT_FALSE(text.contains(note)) << "the artwork has no notes";
    EXPECT_TRUE(pgfplotsOf(oneBar(10, 2), {}, {}).contains(note)) << "a comment of the file has it";
}

TEST(PgfCharts, WhatIsSaidOnceLeavesNothingBehindTheBar) {
    FigureContent content = oneBar(10, 2);
    content.bars->bars[0].count.clear();
    EXPECT_FALSE(barsPicture(content, {}).contains(QLatin1String("textcolor{gray}{(")));
    content.bars->bars[0].ratio = QStringLiteral("0.5");
    EXPECT_TRUE(barsPicture(content, {}).contains(QLatin1String("textcolor{gray}{(0.5)}")));
}

TEST(PgfCharts, TheBrightEndOfAMapIsTheGoodOne) {
    FigureContent content{.kind = FigureKind::Map};
    content.map =
        HeatMap{.rows = {QStringLiteral("a")},
                .columns = {QStringLiteral("b"), QStringLiteral("c")},
                .cells = {{.value = 1.0, .text = QStringLiteral("1")}, {.value = 2.0, .text = QStringLiteral("2")}}};
    const auto fillOfFirst = [&](bool lowIsGood) {
        content.map->lowIsGood = lowIsGood;
        const QString text = mapPicture(content, {});
        return text.mid(text.indexOf(QLatin1String("{cell}{HTML}{")) + 13, 6);
    };
    EXPECT_EQ(fillOfFirst(true), QStringLiteral("FDE725"));
    EXPECT_EQ(fillOfFirst(false), QStringLiteral("440154"));
}

}  // namespace
}  // namespace dasgd::gui
