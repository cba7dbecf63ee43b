#include "gui/experiment/sweep/case_value_row.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "gui/experiment/model/sweep/sweep_text.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

class CaseValueRowTest : public ::testing::Test {
protected:
    CaseValueRowTest() {
        row_.show(value("3"), field_);
        row_.QWidget::show();
        row_.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&row_));
    }
    static CaseValue value(const char* toml) {
        return {.path = {QStringLiteral("algorithm"), QStringLiteral("delay")}, .toml = QString::fromLatin1(toml)};
    }
    void type(const QString& text) {
        row_.editor().setFocus();
        row_.editor().selectAll();
        QTest::keyClicks(&row_.editor(), text);
    }
    ExperimentDocument document_{QStringLiteral("[algorithm]\nname = \"dasgd\"\n")};
    const FieldInfo* field_ = fieldOfKey(document_, smallSchema(), QStringLiteral("algorithm.delay"));
    CaseValueRow row_{value("3"), 2};
};

TEST_F(CaseValueRowTest, WhatIsTypedIsSentAsToml) {
    ASSERT_NE(field_, nullptr);
    QSignalSpy edited(&row_, &CaseValueRow::edited);
    type(QStringLiteral("5"));
    ASSERT_EQ(edited.count(), 1);
    EXPECT_EQ(edited[0][0].toString(), QStringLiteral("5"));
    EXPECT_EQ(row_.editor().accessibleName(), QStringLiteral("algorithm.delay in case 2"));
}

TEST_F(CaseValueRowTest, WhatMakesNoValueIsSaidBelowAndNotSent) {
    QSignalSpy edited(&row_, &CaseValueRow::edited);
    type(QStringLiteral("["));
    EXPECT_EQ(edited.count(), 0);
    EXPECT_FALSE(row_.problem().isEmpty());
    row_.show(value("3"), field_);
    EXPECT_EQ(row_.editor().text(), QStringLiteral("[")) << "still being typed";
    type(QStringLiteral("4"));
    EXPECT_TRUE(row_.problem().isEmpty());
    row_.setProblem(QStringLiteral("delay is 9; allowed 0..4"));
    EXPECT_TRUE(row_.editor().property("wrong").toBool());
}

TEST_F(CaseValueRowTest, DeleteTakesItOutWhereNothingIsLeftToDelete) {
    QSignalSpy removed(&row_, &CaseValueRow::removeWanted);
    row_.editor().setFocus();
    QTest::keyClick(&row_.editor(), Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 0);
    QTest::keyClick(&row_.editor(), Qt::Key_Delete, Qt::ControlModifier);
    EXPECT_EQ(removed.count(), 1);
}

}  // namespace
}  // namespace dasgd::gui
