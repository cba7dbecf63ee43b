#include "gui/experiment/sweep/value_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QVBoxLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// Takes digits.
class Digits : public ValueRow {
public:
    Digits() : ValueRow(QStringLiteral("out")) {
        auto* column = new QVBoxLayout(this);
        column->addWidget(&editor());
        column->addWidget(problemLabel());
    }
    void offer(const QString& text) {
        if (!isUnfinished()) showText(text, text == editor().text().trimmed());
    }

protected:
    void take(const QString& written) override {
        bool ok = false;
        static_cast<void>(written.toInt(&ok));
        setTyping(ok ? QString() : QStringLiteral("no number"));
    }
};

TEST(ValueRow, AnErrorOfWhatIsTypedGoesBeforeThatOfTheEngine) {
    Digits row;
    row.show();
    row.setProblem(QStringLiteral("too large"));
    EXPECT_EQ(row.problem(), QStringLiteral("too large"));
    row.editor().setFocus();
    QTest::keyClicks(&row.editor(), QStringLiteral("x"));
    EXPECT_EQ(row.problem(), QStringLiteral("no number"));
    QTest::keyClick(&row.editor(), Qt::Key_Backspace);
    QTest::keyClicks(&row.editor(), QStringLiteral("7 "));
    EXPECT_EQ(row.problem(), QStringLiteral("too large"));
}

TEST(ValueRow, DeleteTakesTheRowOutWhereThereIsNothingToDelete) {
    Digits row;
    row.show();
    QSignalSpy out(&row, &ValueRow::removeWanted);
    row.offer(QStringLiteral("7"));
    QTest::keyClick(&row.editor(), Qt::Key_Delete);
    EXPECT_EQ(out.count(), 0);
    QTest::keyClick(&row.editor(), Qt::Key_Delete, Qt::ControlModifier);
    EXPECT_EQ(out.count(), 1);
    row.offer(QString());
    QTest::keyClick(&row.editor(), Qt::Key_Delete);
    EXPECT_EQ(out.count(), 2);
}

}  // namespace
}  // namespace dasgd::gui
