#include "gui/kit/parts/arrow_box.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(ArrowBox, HasAnArrowWhereTheSheetLeavesNone) {
    testLook();
    QComboBox bare;
    ArrowBox box;
    for (QComboBox* one : {&bare, static_cast<QComboBox*>(&box)}) {
        one->addItem(QStringLiteral("weak"));
        one->resize(160, 30);
    }
    const QRect right(130, 4, 24, 22), left(4, 4, 100, 22);
    EXPECT_EQ(bare.grab(left).toImage(), box.grab(left).toImage());
    EXPECT_NE(bare.grab(right).toImage(), box.grab(right).toImage());
}

}  // namespace
}  // namespace dasgd::gui
