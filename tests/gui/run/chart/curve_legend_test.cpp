#include "gui/run/chart/curve_legend.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

std::vector<Curve> many(int count) {
    std::vector<Curve> curves;
    for (int i = 0; i < count; ++i) {
        curves.push_back(
            {.name = QStringLiteral("a sweep with a name that is much too long for it / dasgd τ 4 run %1").arg(i),
             .key = QString::number(i),
             .line = {{1, 2}, {3, 4}}});
    }
    return curves;
}

TEST(CurveLegend, NamesOfAHundredCurvesStayApart) {
    CurveLegend legend(testLook());
    EXPECT_EQ(legend.apply(many(100)).size(), 100U);
    QStringList names;
    for (int i = 0; i < legend.model()->rowCount(); ++i) names << legend.model()->index(i, 0).data().toString();
    EXPECT_EQ(names.removeDuplicates(), 0);
    EXPECT_TRUE(names[7].contains(QStringLiteral("run 7"))) << names[7].toStdString();
}

TEST(CurveLegend, SpaceHidesAndEnterBringsToTheFront) {
    CurveLegend legend(testLook());
    static_cast<void>(legend.apply(many(12)));
    QSignalSpy changes(&legend, &CurveLegend::changed);
    legend.show();
    legend.setCurrentIndex(legend.model()->index(3, 0));
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_EQ(legend.apply(many(12)).size(), 11U);
    EXPECT_EQ(changes.count(), 1);
    legend.setCurrentIndex(legend.model()->index(5, 0));
    QTest::keyClick(&legend, Qt::Key_Return);
    EXPECT_EQ(changes.count(), 2);
    std::vector<Curve> curves = legend.apply(many(12));
    EXPECT_TRUE(curves[4].primary);
    legend.setCurrentIndex(legend.model()->index(3, 0));
    QTest::keyClick(&legend, Qt::Key_Space);
    EXPECT_EQ(legend.apply(many(12)).size(), 12U);
    EXPECT_EQ(legend.currentIndex().row(), 3) << "new points leave the place in the list";
}

TEST(CurveLegend, WhatIsHiddenStaysSoUnderAnotherNameAndHidesNoOtherOfItsName) {
    CurveLegend legend(testLook());
    static_cast<void>(legend.apply(many(12)));
    legend.model()->setData(legend.model()->index(3, 0), Qt::Unchecked, Qt::CheckStateRole);
    std::vector<Curve> curves = many(12);
    curves[3].name = QStringLiteral("renamed");
    EXPECT_EQ(legend.apply(curves).size(), 11U);
    EXPECT_TRUE(legend.hides(QStringLiteral("3")));
    std::vector<Curve> others = many(12);
    for (Curve& curve : others) curve.key += QStringLiteral(" of another run");
    EXPECT_EQ(legend.apply(others).size(), 12U) << "the names alone are the same";
    EXPECT_EQ(legend.model()->index(3, 0).data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
    legend.begin(QStringLiteral("3"));
    EXPECT_EQ(legend.apply(many(12)).size(), 12U);
}

TEST(CurveLegend, WhatIsInFrontAndNoLongerDrawnLeavesTheFrontToTheRunThatIsLookedAt) {
    CurveLegend legend(testLook());
    static_cast<void>(legend.apply(many(12)));
    emit legend.activated(legend.model()->index(11, 0));
    std::vector<Curve> fewer = many(9);
    fewer[0].primary = true;
    EXPECT_TRUE(legend.apply(fewer)[0].primary);
}

}  // namespace
}  // namespace dasgd::gui
