#include "gui/kit/plots/heat_map.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPainter>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

HeatMap twoByThree() {
    HeatMap map{.rows = {QStringLiteral("τ 4"), QStringLiteral("τ 8")},
                .columns = {QStringLiteral("d 1"), QStringLiteral("d 2"), QStringLiteral("d 3")},
                .title = QStringLiteral("ms per step"),
                .lowIsGood = true};
    for (int i = 0; i < 6; ++i) {
        HeatCell cell{
            .text = QString::number(i), .under = QStringLiteral("n 3"), .words = QStringLiteral("cell %1").arg(i)};
        if (i != 4) cell.value = i;
        map.cells.push_back(cell);
    }
    return map;
}

TEST(HeatMap, ViridisGoesFromDarkToBright) {
    EXPECT_LT(viridis(0).lightness(), viridis(0.5).lightness());
    EXPECT_LT(viridis(0.5).lightness(), viridis(1).lightness());
    EXPECT_EQ(viridis(-1), viridis(0));
    EXPECT_EQ(viridis(2), viridis(1));
}

TEST(HeatMap, TheBestCellIsTheBrightOneAndAMissingOneHasNoColour) {
    const HeatMap map = twoByThree();
    const PlotStyle style = screenPlotStyle(testLook().theme());
    QImage image(420, 200, QImage::Format_RGB32);
    image.fill(style.ground);
    QPainter painter(&image);
    paintHeatMap(painter, image.rect(), map, style);
    painter.end();
    // The colour of a cell is what most of its pixels have.
    std::vector<std::map<QRgb, int>> colors(6);
    for (int x = 0; x < image.width(); ++x) {
        for (int y = 0; y < image.height(); ++y) {
            if (const auto cell = heatCellAt(image.rect(), map, style, QPointF(x, y)))
                ++colors[*cell][image.pixel(x, y)];
        }
    }
    const auto colorOf = [&](std::size_t cell) {
        const auto most = std::max_element(colors[cell].begin(), colors[cell].end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        return QColor(most->first);
    };
    EXPECT_EQ(colorOf(0), viridis(1));
    EXPECT_EQ(colorOf(5), viridis(0));
    EXPECT_EQ(colorOf(4), style.ground);
}

// Simulated times that differ in their last bits are the same time.
TEST(HeatMap, CellsThatSayTheSameNumberHaveOneColour) {
    HeatMap map = twoByThree();
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        map.cells[i].text = QStringLiteral("10.0");
        if (map.cells[i].value) map.cells[i].value = 10 + 1e-9 * static_cast<double>(i);
    }
    const HeatEnds same = endsOf(map);
    EXPECT_EQ(same.low, same.high);
    EXPECT_EQ(same.shareOf(10, true), same.shareOf(10.000000005, true));
    map.cells[0].text = QStringLiteral("9.99");
    EXPECT_LT(endsOf(map).low, endsOf(map).high);
    for (HeatCell& cell : map.cells) cell.value.reset();
    EXPECT_GT(endsOf(map).low, endsOf(map).high) << "no value";
}

TEST(HeatMap, CellsThatHardlyDifferHaveNearlyOneColour) {
    HeatMap map = twoByThree();
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        map.cells[i].text = QString::number(i);
        if (map.cells[i].value) map.cells[i].value = 100 + 0.1 * static_cast<double>(i);
    }
    // The cells, of one seed each, differ by half a per cent.
    const HeatEnds relative = endsOf(map);
    EXPECT_TRUE(relative.widened);
    EXPECT_NEAR(relative.high - relative.low, 0.02 * 100.25, 1e-9);
    EXPECT_LT(relative.shareOf(100.5, false) - relative.shareOf(100, false), 0.3);
    EXPECT_TRUE(widenedInWords(map).contains(QStringLiteral("2 % of the value"))) << widenedInWords(map).toStdString();
    // Seeds that scatter by as much as the cells differ.
    map.noise = 0.5;
    EXPECT_NEAR(endsOf(map).high - endsOf(map).low, 2, 1e-9);
    EXPECT_TRUE(widenedInWords(map).contains(QStringLiteral("4 standard errors of a cell over seeds")));
    // Seeds that scatter less: a small difference is one.
    map.noise = 0.01;
    EXPECT_FALSE(endsOf(map).widened);
    EXPECT_EQ(endsOf(map).low, 100);
    EXPECT_EQ(widenedInWords(map), QString());
}

TEST(HeatMap, ExactCellsHaveTheColoursOfTheirDifference) {
    HeatMap map = twoByThree();
    for (HeatCell& cell : map.cells) {
        if (cell.value) cell.value = 100 + 0.1 * *cell.value;
    }
    ASSERT_TRUE(endsOf(map).widened);
    map.exact = true;
    EXPECT_FALSE(endsOf(map).widened);
    EXPECT_EQ(endsOf(map).low, 100);
    EXPECT_EQ(widenedInWords(map), QString());
}

// From 97.9 to 98.9 % half of the errors are gone.
TEST(HeatMap, SharesNearTheWholeDifferByWhatTheyLackToIt) {
    HeatMap map = twoByThree();
    for (HeatCell& cell : map.cells) {
        if (cell.value) cell.value = 97.9 + 0.2 * *cell.value;
    }
    ASSERT_TRUE(endsOf(map).widened) << "2 % of 98.4";
    map.whole = 100;
    EXPECT_FALSE(endsOf(map).widened);
    EXPECT_NEAR(endsOf(map).low, 97.9, 1e-9);
    for (HeatCell& cell : map.cells) {
        if (cell.value) cell.value = 98 + 0.01 * (*cell.value - 97.9);
    }
    EXPECT_NEAR(endsOf(map).high - endsOf(map).low, 0.02 * 1.995, 1e-6);
    EXPECT_TRUE(widenedInWords(map).contains(QStringLiteral("2 % of what is lacking to 100")))
        << widenedInWords(map).toStdString();
    // Far from it, of what they are.
    for (HeatCell& cell : map.cells) {
        if (cell.value) cell.value = *cell.value - 88;
    }
    EXPECT_NEAR(endsOf(map).high - endsOf(map).low, 0.02 * 10.005, 1e-6);
}

TEST(HeatMapView, ArrowsGoFromCellToCell) {
    HeatMapView view(testLook());
    view.resize(420, 200);
    view.setMap(twoByThree());
    view.show();
    QSignalSpy spy(&view, &HeatMapView::chosen);
    for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Right, Qt::Key_Right, Qt::Key_Right, Qt::Key_Return}) {
        QTest::keyClick(&view, key);
    }
    ASSERT_EQ(spy.size(), 1);
    EXPECT_EQ(spy[0][0].value<std::size_t>(), 5U);
    EXPECT_TRUE(view.accessibleDescription().contains(QStringLiteral("cell 5")));
    EXPECT_FALSE(view.accessibleDescription().contains(QStringLiteral("cell 4"))) << "it is missing";
}

}  // namespace
}  // namespace dasgd::gui
