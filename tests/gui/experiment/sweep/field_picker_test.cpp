#include "gui/experiment/sweep/field_picker.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

class FieldPickerTest : public ::testing::Test {
protected:
    FieldPickerTest() {
        button_.show();
        picker_ = new FieldPicker(sweepableFields(ExperimentDocument("[algorithm]\nname = \"dasgd\"\n"), smallSchema()),
                                  &button_);
        picker_->openAt(button_);
    }
    QPushButton button_;
    QPointer<FieldPicker> picker_;
};

TEST_F(FieldPickerTest, WordsOfKeySymbolAndHelpFind) {
    const auto all = picker_->shown().size();
    QTest::keyClicks(&picker_->filter(), QStringLiteral("lag MERGE"));
    EXPECT_EQ(picker_->shown(), QStringList{"algorithm.delay"});
    picker_->filter().setText(QStringLiteral("τ"));
    EXPECT_EQ(picker_->shown(), QStringList{"algorithm.period"});
    picker_->filter().clear();
    EXPECT_EQ(picker_->shown().size(), all);
}

TEST_F(FieldPickerTest, NamesComeBeforeHelp) {
    picker_->filter().setText(QStringLiteral("weight"));
    EXPECT_EQ(picker_->shown(), (QStringList{"algorithm.local_weight", "train.seed"})) << "its help has the word";
    picker_->filter().setText(QStringLiteral("train.seed"));
    EXPECT_EQ(picker_->shown().front(), QStringLiteral("train.seed"));
    picker_->filter().setText(QStringLiteral("steps"));
    EXPECT_EQ(picker_->shown().front(), QStringLiteral("train.steps")) << "before the help of algorithm.period";
    QSignalSpy chosen(picker_, &FieldPicker::chosen);
    QTest::keyClick(&picker_->filter(), Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toString(), QStringLiteral("train.steps"));
}

TEST_F(FieldPickerTest, ArrowsAndEnterChooseAndCloseIt) {
    QSignalSpy chosen(picker_, &FieldPicker::chosen);
    QTest::keyClicks(&picker_->filter(), QStringLiteral("train."));
    QTest::keyClick(&picker_->filter(), Qt::Key_Down);
    QTest::keyClick(&picker_->filter(), Qt::Key_Return);
    ASSERT_EQ(chosen.count(), 1);
    EXPECT_EQ(chosen[0][0].toString(), QStringLiteral("train.seed")) << "steps is first";
    EXPECT_TRUE(eventually([this] { return !picker_; }));
}

TEST_F(FieldPickerTest, WithoutAFieldFoundEnterDoesNothing) {
    QSignalSpy chosen(picker_, &FieldPicker::chosen);
    QTest::keyClicks(&picker_->filter(), QStringLiteral("nowhere"));
    QTest::keyClick(&picker_->filter(), Qt::Key_Return);
    EXPECT_EQ(chosen.count(), 0);
    EXPECT_TRUE(picker_->isVisible());
    QTest::keyClick(&picker_->filter(), Qt::Key_Escape);
    EXPECT_TRUE(eventually([this] { return !picker_; }));
}

}  // namespace
}  // namespace dasgd::gui
