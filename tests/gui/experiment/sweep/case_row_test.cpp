#include "gui/experiment/sweep/case_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

#include "gui/experiment/sweep/case_value_row.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(CaseRow, SaysWhatTheCaseSets) {
    CaseRow row(1);
    const auto words = [&row] {
        for (const QLabel* one : row.findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly)) {
            if (one->property("tone").toString() == QStringLiteral("small")) return one->text();
        }
        return QString();
    };
    const CaseValue steps{
        .path = {QStringLiteral("train"), QStringLiteral("steps")}, .toml = QStringLiteral("8"), .line = 4};
    const CaseValue seed{
        .path = {QStringLiteral("train"), QStringLiteral("seed")}, .toml = QStringLiteral("7"), .line = 5};
    row.show({.name = QStringLiteral("big"),
              .values = {steps, seed},
              .sets = {"train.steps = 8", "train.seed = 7"},
              .inner = 2},
             {});
    EXPECT_EQ(row.name().text(), QStringLiteral("big"));
    ASSERT_EQ(row.values().size(), 2U);
    EXPECT_EQ(row.values()[1]->editor().text(), QStringLiteral("7"));
    EXPECT_EQ(words(), QStringLiteral("2 cases of its own"));
    CaseValueRow* second = row.values()[1];
    row.show({.values = {seed}, .sets = {"train.seed = 7"}}, {});
    ASSERT_EQ(row.values().size(), 1U);
    EXPECT_EQ(row.values()[0], second) << "what is typed in stays";
    row.setProblem(QStringLiteral("seed is wrong"), 5);
    EXPECT_EQ(second->problem(), QStringLiteral("seed is wrong"));
    row.setProblem(QStringLiteral("the case is wrong"), 3);
    EXPECT_EQ(second->problem(), QString());
    EXPECT_EQ(row.problem(), QStringLiteral("the case is wrong"));
    EXPECT_EQ(row.name().placeholderText(), QStringLiteral("case 2"));
    row.show({}, {});
    EXPECT_TRUE(words().startsWith(QLatin1String("sets nothing yet")));
}

// The column beside a text of TOML has some 240 pixels.
TEST(CaseRow, ANameOfSomeWordsIsWholeInANarrowColumn) {
    CaseRow row(0);
    const QString name = QStringLiteral("DaSGD, period 4, delay 2");
    row.show({.name = name}, {});
    row.resize(234, row.sizeHint().height());
    row.QWidget::show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&row));
    const QFontMetrics metrics(row.name().font());
    EXPECT_LT(metrics.horizontalAdvance(name) + 20, row.name().width());
    row.name().clearFocus();
    row.show({.name = name + QStringLiteral(", weight of the local model 0.5")}, {});
    EXPECT_EQ(row.name().cursorPosition(), 0) << "what is longer shows its beginning";
    EXPECT_TRUE(row.name().toolTip().contains(QStringLiteral("0.5")));
}

TEST(CaseRow, DeleteInAnEmptyNameTakesItOut) {
    CaseRow row(0);
    row.show({.name = QStringLiteral("x")}, {});
    QSignalSpy removed(&row, &CaseRow::removeWanted), renamed(&row, &CaseRow::renamed);
    row.name().setCursorPosition(0);
    QTest::keyClick(&row.name(), Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 0);
    ASSERT_EQ(renamed.count(), 1);
    EXPECT_EQ(renamed[0][0].toString(), QString());
    QTest::keyClick(&row.name(), Qt::Key_Delete);
    EXPECT_EQ(removed.count(), 1);
}

}  // namespace
}  // namespace dasgd::gui
