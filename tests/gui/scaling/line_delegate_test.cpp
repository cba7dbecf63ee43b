#include "gui/scaling/line_delegate.h"

#include <gtest/gtest.h>

#include <QListView>
#include <cstdlib>

#include "gui/scaling/model/scaling_list_model.h"
#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class LineDelegateTest : public ScalingBench {
protected:
    LineDelegateTest() {
        view_.setModel(&model_);
        view_.setItemDelegate(new LineDelegate(testLook(), &view_));
        view_.resize(320, 300);
    }
    QImage rowImage(int row) { return view_.viewport()->grab(view_.visualRect(model_.index(row))).toImage(); }
    ScalingListModel model_{board_};
    QListView view_;
};

TEST_F(LineDelegateTest, AClickAnywhereOnTheRowChecksIt) {
    look();
    view_.show();
    QTest::mouseClick(view_.viewport(), Qt::LeftButton, {}, view_.visualRect(model_.index(1)).center());
    EXPECT_EQ(model_.index(1).data(Qt::CheckStateRole).toInt(), Qt::Unchecked);
    EXPECT_EQ(board_.drawn().size(), 1U);
    view_.setCurrentIndex(model_.index(1));
    view_.setFocus();
    QTest::keyClick(&view_, Qt::Key_Space);
    EXPECT_EQ(board_.drawn().size(), 2U);
}

TEST_F(LineDelegateTest, ADrawnLineShowsItsSampleInItsColour) {
    look();
    view_.show();
    const QColor color = testLook().theme().curves[static_cast<std::size_t>(
        model_.index(1).data(ScalingListModel::StyleRole).value<CurveStyle>().color)];
    const auto near = [&color](const QColor& other) {
        return std::abs(color.red() - other.red()) + std::abs(color.green() - other.green()) +
                   std::abs(color.blue() - other.blue()) <
               60;
    };
    const auto colored = [&near](const QImage& image) {
        int count = 0;
        for (int x = 40; x < image.width(); ++x) {  // right of the box
            for (int y = 0; y < image.height(); ++y) count += near(image.pixelColor(x, y)) ? 1 : 0;
        }
        return count;
    };
    EXPECT_GT(colored(rowImage(1)), 30);
    board_.choose({board_.lines()[0].key, board_.lines()[1].key}, false);
    EXPECT_EQ(colored(rowImage(1)), 0);
    EXPECT_LT(view_.sizeHintForRow(0), view_.sizeHintForRow(1)) << "an experiment is one line of text";
}

}  // namespace
}  // namespace dasgd::gui
