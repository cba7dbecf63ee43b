#include "gui/experiment/sweep/sweep_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QToolButton>

#include "tests/gui/support/bench.h"
#include "tests/gui/support/small_schema.h"

namespace dasgd::gui {
namespace {

class SweepRowTest : public ::testing::Test {
protected:
    SweepRowTest() {
        row_.setVisible(true);
        row_.activateWindow();
        row_.editor().setFocus();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&row_));
    }
    static SweptField delays(const QString& toml = QStringLiteral("1, 2, 4")) {
        static ExperimentDocument document;
        document = ExperimentDocument(
            QStringLiteral("[algorithm]\nname = \"dasgd\"\n[sweep]\n\"algorithm.delay\" = [%1]\n").arg(toml));
        return sweptFields(document, smallSchema())[0];
    }
    void type(const QString& values) {
        row_.editor().selectAll();
        QTest::keyClicks(&row_.editor(), values);
    }
    SweepRow row_{delays()};
};

TEST_F(SweepRowTest, SaysKeySymbolAndHowManyValues) {
    QStringList words;
    for (const auto* label : row_.findChildren<QLabel*>()) words << label->text();
    EXPECT_EQ(words.mid(0, 3), (QStringList{"algorithm.delay", "d", "3 values"}));
    EXPECT_EQ(row_.editor().accessibleName(), QStringLiteral("Values of algorithm.delay"));
}

// A field is too short for several algorithms with their settings.
TEST_F(SweepRowTest, ValuesThatAreTablesStandBelowALineEach) {
    const auto shown = [this](const QString& text) {
        for (const auto* label : row_.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text() == text) return true;
        }
        return false;
    };
    const QString two = QStringLiteral("sync_sgd\ndasgd, delay = 2");
    static ExperimentDocument document(
        QStringLiteral("[sweep]\n\"algorithm\" = [{ name = \"sync_sgd\" }, { name = \"dasgd\", delay = 2 }]\n"));
    row_.show(sweptFields(document, smallSchema())[0]);
    EXPECT_TRUE(shown(two)) << row_.editor().text().toStdString();
    row_.show(delays());
    EXPECT_FALSE(shown(two));
}

TEST_F(SweepRowTest, ARangeStaysAsItIsTypedWhileTheTextHasItsNumbers) {
    QSignalSpy edited(&row_, &SweepRow::edited);
    type(QStringLiteral("1..3"));
    EXPECT_EQ(edited.back()[0].toStringList(), (QStringList{"1", "2", "3"}));
    row_.show(delays(QStringLiteral("1, 2, 3")));
    EXPECT_EQ(row_.editor().text(), QStringLiteral("1..3"));
    row_.show(delays(QStringLiteral("7")));
    EXPECT_EQ(row_.editor().text(), QStringLiteral("7")) << "the text is the truth";
}

TEST_F(SweepRowTest, WhatMakesNoValuesIsSaidAndNotWritten) {
    QSignalSpy edited(&row_, &SweepRow::edited);
    row_.editor().selectAll();
    QTest::keyClick(&row_.editor(), Qt::Key_Backspace);
    EXPECT_EQ(edited.count(), 0);
    EXPECT_TRUE(row_.problem().contains(QLatin1String("at least one value")));
    row_.setProblem(QString());
    row_.show(delays());
    EXPECT_EQ(row_.editor().text(), QString()) << "still being typed";
    EXPECT_FALSE(row_.problem().isEmpty());
    type(QStringLiteral("3"));
    EXPECT_EQ(row_.problem(), QString());
    row_.setProblem(QStringLiteral("delay is 9; allowed 0..4"));
    EXPECT_EQ(row_.problem(), QStringLiteral("delay is 9; allowed 0..4"));
}

TEST_F(SweepRowTest, DeleteTakesItOutWhereThereIsNothingElseToDelete) {
    QSignalSpy removed(&row_, &SweepRow::removeWanted);
    row_.editor().setCursorPosition(0);
    QTest::keyClick(&row_.editor(), Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 0) << "deletes a character";
    QTest::keyClick(&row_.editor(), Qt::Key_Delete, Qt::ControlModifier);
    EXPECT_EQ(removed.count(), 1);
    QTest::keyClick(&row_.editor(), Qt::Key_Tab);
    auto* button = row_.findChild<QToolButton*>();
    EXPECT_TRUE(button->hasFocus());
    QTest::keyClick(button, Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 2);
    row_.editor().clear();
    QTest::keyClick(&row_.editor(), Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 3);
}

}  // namespace
}  // namespace dasgd::gui
