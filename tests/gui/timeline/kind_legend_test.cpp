#include "gui/timeline/kind_legend.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(KindLegend, SpaceAndAClickHideAKindAndEveryLegendFollows) {
    TimelineRows rows;
    KindLegend legend(rows, testLook()), other(rows, testLook());
    legend.show();
    auto* forward = legend.findChildren<KindToggle*>().front();
    EXPECT_EQ(forward->kind(), SpanKind::Forward);
    EXPECT_FALSE(forward->accessibleName().isEmpty());
    EXPECT_NE(forward->focusPolicy() & Qt::TabFocus, 0);
    QTest::keyClick(forward, Qt::Key_Space);
    EXPECT_TRUE(contains(rows.hiddenKinds(), SpanKind::Forward));
    EXPECT_FALSE(other.findChildren<KindToggle*>().front()->isChecked());
    EXPECT_EQ(hiddenKindsInWords(rows.hiddenKinds()), QStringLiteral("forward"));
    QTest::mouseClick(forward, Qt::LeftButton);
    EXPECT_TRUE(rows.hiddenKinds().none());
    EXPECT_EQ(hiddenKindsInWords(rows.hiddenKinds()), QString());
}

TEST(KindLegend, WhatOnlyTracesOfOtherProgramsHaveIsThereForThem) {
    TimelineRows rows;
    KindLegend legend(rows, testLook());
    legend.show();
    const auto toggle = [&](SpanKind kind) {
        for (KindToggle* one : legend.findChildren<KindToggle*>()) {
            if (one->kind() == kind) return one;
        }
        return static_cast<KindToggle*>(nullptr);
    };
    for (const SpanKind kind : {SpanKind::Compute, SpanKind::Other}) {
        ASSERT_NE(toggle(kind), nullptr);
        EXPECT_FALSE(toggle(kind)->isVisible());
    }
    legend.setImported(true);
    ASSERT_TRUE(toggle(SpanKind::Compute)->isVisible());
    EXPECT_TRUE(toggle(SpanKind::Forward)->isVisible());
    QTest::mouseClick(toggle(SpanKind::Compute), Qt::LeftButton);
    EXPECT_TRUE(contains(rows.hiddenKinds(), SpanKind::Compute));
    auto* untimed = legend.findChild<UntimedSample*>();
    EXPECT_FALSE(untimed->isVisible()) << "no number of a trace leaves anything out";
    legend.setImported(false);
    EXPECT_FALSE(toggle(SpanKind::Compute)->isVisible());
    EXPECT_TRUE(untimed->isVisible());
    EXPECT_GT(untimed->width(), 40);
}

TEST(KindLegend, TwoRowsAreAboutHalfAsWide) {
    TimelineRows rows;
    KindLegend legend(rows, testLook());
    legend.show();
    const int one = legend.widthOfOneRow();
    EXPECT_LE(legend.sizeHint().width(), one);
    legend.setRows(2);
    EXPECT_LT(legend.sizeHint().width(), one * 2 / 3);
    EXPECT_EQ(legend.widthOfOneRow(), one);
    legend.setImported(true);
    EXPECT_NE(legend.widthOfOneRow(), one);
    legend.setRows(1);
    EXPECT_GE(legend.sizeHint().width(), legend.widthOfOneRow());
}

}  // namespace
}  // namespace dasgd::gui
