#include "gui/widgets/timeline/kind_legend.h"

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

}  // namespace
}  // namespace dasgd::gui
