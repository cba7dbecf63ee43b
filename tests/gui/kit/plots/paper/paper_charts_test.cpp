#include "gui/kit/plots/paper/paper_charts.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

BarChart chartOf(int bars) {
    BarChart chart{.axis = QStringLiteral("time per step [ms]")};
    for (int i = 0; i < bars; ++i)
        chart.bars.push_back({.label = QStringLiteral("d %1").arg(i), .value = 1.0 + i, .interval = 0.2});
    return chart;
}

TEST(PaperCharts, APageIsAsWideAsTheVenueAndAsHighAsItsRows) {
    const PaperPage two = layOut(PaperChart{chartOf(2), 3.25}), six = layOut(PaperChart{chartOf(6), 3.25});
    EXPECT_EQ(two.size.width(), 3.25 * 72);
    EXPECT_GT(six.size.height(), two.size.height() + 30);
}

TEST(PaperCharts, WhatSeveralCurvesHaveAlikeIsSaidOnceWithTheirNumber) {
    std::vector<Curve> curves(13);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        curves[i].name = QStringLiteral("c%1").arg(i);
        curves[i].note = QStringLiteral("mean where all of them have records");
    }
    EXPECT_EQ(
        gatheredNotes({QStringLiteral("n = 2")}, curves),
        (QStringList{QStringLiteral("n = 2"), QStringLiteral("all curves: mean where all of them have records")}));
    curves[4].note += QStringLiteral("; seed 2 failed, left out");
    curves[5].note.clear();
    EXPECT_EQ(gatheredNotes({}, curves),
              (QStringList{QStringLiteral("12 curves: mean where all of them have records (the CSV file says which)"),
                           QStringLiteral("c4: seed 2 failed, left out")}));
    for (std::size_t i = 0; i < curves.size(); ++i) {
        if (i != 4) curves[i].note = i == 7 ? QStringLiteral("seed 2 failed, left out") : QString();
    }
    EXPECT_EQ(gatheredNotes({}, curves), (QStringList{QStringLiteral("c4, c7: seed 2 failed, left out"),
                                                      QStringLiteral("c4: mean where all of them have records")}))
        << "a reader must know of which";
}

TEST(PaperCharts, ManyNotesAreCountedAndNotListed) {
    QStringList notes;
    for (int i = 0; i < 20; ++i) notes << QStringLiteral("seed %1 was stopped, left out").arg(i);
    EXPECT_EQ(fewOf(notes.mid(0, 8)), notes.mid(0, 8));
    ASSERT_EQ(fewOf(notes).size(), 8);
    EXPECT_EQ(fewOf(notes).back(), QStringLiteral("and 13 more notes: see figure.json"));
}

TEST(PaperCharts, ThePageOutlivesItsChartAndHasItsColours) {
    PaperPage page;
    {
        PaperChart chart{chartOf(3), 5.5};
        chart.style.curves.fill(QColor(0xff, 0x00, 0x00));
        page = layOut(chart);
    }
    const QImage image = imageOf(page, 2);
    int red = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const QColor color = image.pixelColor(x, y);
            red += color.red() > 200 && color.green() < 90 && color.blue() < 90 ? 1 : 0;
        }
    }
    EXPECT_GT(red, 1000);
}

TEST(PaperCharts, ANarrowCellKeepsItsNumber) {
    HeatMap map{.rows = {QStringLiteral("r")}, .title = QStringLiteral("t")};
    for (int i = 0; i < 10; ++i) {
        map.columns << QString::number(i);
        map.cells.push_back({.value = 1000.0 + i, .text = QStringLiteral("17.9")});
    }
    map.cells.back().text = QStringLiteral("18.0");
    const auto inked = [&](const HeatMap& drawn) {
        const QImage image = imageOf(layOut(PaperChart{drawn, 3.25}), 4);
        int dark = 0;
        for (int y = 0; y < image.height(); ++y) {
            for (int x = 0; x < image.width(); ++x) dark += image.pixelColor(x, y) == QColor(Qt::white) ? 1 : 0;
        }
        return dark;
    };
    HeatMap empty = map;
    for (HeatCell& cell : empty.cells) cell.text.clear();
    EXPECT_NE(inked(map), inked(empty)) << "white numbers on the dark cells";
}

}  // namespace
}  // namespace dasgd::gui
