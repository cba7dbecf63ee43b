#include "gui/kit/parts/wrapped_tips.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

const QString kLong = QStringLiteral(
    "best test accuracy: chosen on the validation set; without one on the test set itself, which is optimistic, and "
    "every table says so");

class WrappedTipsTest : public ::testing::Test {
protected:
    WrappedTipsTest() { qApp->installEventFilter(&tips_); }
    ~WrappedTipsTest() override { QToolTip::hideText(); }
    static void askAt(QWidget& widget, QPoint at) {
        QHelpEvent help(QEvent::ToolTip, at, widget.mapToGlobal(at));
        QApplication::sendEvent(&widget, &help);
    }
    // Size of the tip that is shown; empty where there is none.
    static QSize shown() {
        for (const QWidget* one : QApplication::topLevelWidgets()) {
            if (one->isVisible() && one->inherits("QTipLabel")) return one->size();
        }
        return {};
    }
    WrappedTips tips_;
};

TEST_F(WrappedTipsTest, ALongTipOfAWidgetHasSeveralLines) {
    QLabel label(QStringLiteral("x"));
    label.show();
    label.setToolTip(kLong);
    askAt(label, {2, 2});
    const QFontMetrics metrics(QToolTip::font());
    ASSERT_FALSE(shown().isEmpty());
    EXPECT_LT(shown().width(), metrics.horizontalAdvance(kLong) * 3 / 4);
    EXPECT_GT(shown().height(), 2 * metrics.height());
    EXPECT_EQ(label.toolTip(), kLong) << "what it says stays as it is";
}

TEST_F(WrappedTipsTest, AShortTipStaysOnItsLine) {
    QLabel label(QStringLiteral("x"));
    label.show();
    label.setToolTip(QStringLiteral("Tags, note, origin and configuration of the chosen run"));
    askAt(label, {2, 2});
    const QFontMetrics metrics(QToolTip::font());
    ASSERT_FALSE(shown().isEmpty());
    EXPECT_LT(shown().height(), 2 * metrics.height());
    EXPECT_FALSE(WrappedTips::needsWrapping(asTip(kLong))) << "that wraps by itself";
}

TEST_F(WrappedTipsTest, TheHeadOfATableWrapsItsTipsToo) {
    QStandardItemModel model(1, 2);
    model.setHeaderData(0, Qt::Horizontal, kLong, Qt::ToolTipRole);
    QTableView table;
    table.setModel(&model);
    table.show();
    askAt(*table.horizontalHeader()->viewport(), {4, 4});
    EXPECT_GT(shown().height(), 2 * QFontMetrics(QToolTip::font()).height());
}

// The parts of a tip stand below each other and keep their spaces; a long one is wrapped as well.
TEST_F(WrappedTipsTest, ATextForATipKeepsItsLinesAndIsNeverWiderThanTheyAllow) {
    QLabel label(QStringLiteral("x"));
    label.show();
    label.setToolTip(asTip(QStringLiteral("step 120\ndasgd  0.1183")));
    askAt(label, {2, 2});
    const QFontMetrics metrics(QToolTip::font());
    const QSize two = shown();
    EXPECT_GT(two.height(), 2 * metrics.height());
    EXPECT_LT(two.height(), 4 * metrics.height());
    EXPECT_GE(two.width(), metrics.horizontalAdvance(QStringLiteral("dasgd  0.1183")));
    label.setToolTip(asTip(kLong));
    askAt(label, {2, 2});
    EXPECT_LT(shown().width(), metrics.horizontalAdvance(kLong) * 3 / 4);
}

}  // namespace
}  // namespace dasgd::gui
