// A timeline as a TikZ picture; pgfplots_test.cpp compiles one.
#include <gtest/gtest.h>

#include <QRegularExpression>

#include "gui/data/spans/span_colors.h"
#include "gui/figures/tex/latex.h"
#include "gui/figures/tex/pgf_charts.h"
#include "tests/gui/support/bench.h"
#include "tests/gui/support/timeline_window.h"

namespace dasgd::gui {
namespace {

constexpr Ns kSecond = 1'000'000'000;

FigureContent oneWindow() {
    FigureContent content{.kind = FigureKind::Timeline};
    content.timeline = oneWindowOf(QStringLiteral("others"));
    return content;
}

TEST(TimelineTex, DrawsAndNamesWhatIsInItsWindow) {
    const QString text = pgfplotsOf(oneWindow(), {}, QStringLiteral("f.csv"));
    EXPECT_EQ(text.count(QLatin1String("\\fill[box]")), 3);
    EXPECT_TRUE(text.contains(QLatin1String("(0.25000\\axiswidth,"))) << "where the transfer begins";
    EXPECT_TRUE(text.contains(QLatin1String("1.00000\\axiswidth,"))) << "it ends at the window's edge";
    for (const char* kind : {"forward", "transfer", "backward"}) {
        EXPECT_TRUE(text.contains(QLatin1Char('~') + QLatin1String(kind) + QLatin1Char('}'))) << kind;
    }
    EXPECT_FALSE(text.contains(QLatin1String("~eval}"))) << "it is not drawn";
    EXPECT_FALSE(text.contains(QLatin1String("not timed")));
    EXPECT_TRUE(text.contains(QLatin1String(", 3 ranks")));
    EXPECT_FALSE(text.contains(QLatin1String("f.csv"))) << "the boxes are in the document";
}

TEST(TimelineTex, TheAxisHasTicksBetweenItsEnds) {
    const QString text = timelinePicture(oneWindow(), {});
    for (const char* label : {"{1.0 s}", "{1.2 s}", "{1.6 s}", "{2.0 s}"})
        EXPECT_TRUE(text.contains(QLatin1String(label))) << label;
    EXPECT_EQ(text.count(QLatin1String("\\draw[grid")), 6);
    EXPECT_TRUE(text.contains(QLatin1String("anchor=north west"))) << "the first label stays within the axis";
    EXPECT_TRUE(text.contains(QLatin1String("anchor=north east")));
}

TEST(TimelineTex, WhatIsNotTimedHasItsGroundUnderTheBoxes) {
    FigureContent content = oneWindow();
    content.timeline->frame.untimed = {{.place = 0, .range = {kSecond / 2, kSecond * 5 / 4}},
                                       {.place = 1, .range = {3 * kSecond, 4 * kSecond}}};
    const QString text = timelinePicture(content, {});
    EXPECT_EQ(text.count(QLatin1String("\\fill[untimed]")), 1) << "the other lies after the window";
    EXPECT_TRUE(
        text.contains(QLatin1String("\\fill[untimed] (0.00000\\axiswidth,1pt) rectangle (0.25000\\axiswidth,-17pt)")))
        << text.toStdString();
    EXPECT_LT(text.indexOf(QLatin1String("\\fill[untimed]")), text.indexOf(QLatin1String("\\fill[box]")));
    EXPECT_TRUE(text.contains(QLatin1String("~not timed}"))) << "the legend says what it is";
}

TEST(TimelineTex, ALineGoesFromEachLaunchToItsMerge) {
    FigureContent content = oneWindow();
    content.timeline->frame.links = {{.rank = 0, .launch = kSecond * 5 / 4, .use = kSecond * 7 / 4},
                                     {.rank = 0, .launch = kSecond, .use = kSecond + 1},
                                     {.rank = 0, .launch = 3 * kSecond, .use = 4 * kSecond},
                                     {.rank = 2, .launch = kSecond, .use = 2 * kSecond}};
    const QString text = timelinePicture(content, {});
    EXPECT_EQ(text.count(QLatin1String("\\draw[launched")), 1)
        << "not too short ones, ones outside the window, or of ranks in a group";
    static const QRegularExpression line(
        QStringLiteral("\\(0\\.25000\\\\axiswidth,-9pt\\).*\\(0\\.75000\\\\axiswidth,-7pt\\)"));
    EXPECT_TRUE(text.contains(line)) << text.toStdString();
    EXPECT_LT(text.indexOf(QLatin1String("\\fill[box]")), text.indexOf(QLatin1String("\\draw[launched")));
}

}  // namespace
}  // namespace dasgd::gui
