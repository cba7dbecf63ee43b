#include "gui/forms/case_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(CaseRow, SaysWhatTheCaseSets) {
    CaseRow row(1);
    const auto words = [&row] { return row.findChild<QLabel*>()->text(); };
    row.show({.name = QStringLiteral("big"), .sets = {"a = 1", "b = 2"}, .inner = 2});
    EXPECT_EQ(row.name().text(), QStringLiteral("big"));
    EXPECT_EQ(words(), QStringLiteral("a = 1 · b = 2 · 2 cases of its own"));
    row.show({.sets = {"a = 1", "b = 2", "c = 3", "d = 4", "e = 5", "f = 6"}});
    EXPECT_TRUE(words().endsWith(QLatin1String("d = 4 and 2 more")));
    EXPECT_EQ(row.name().placeholderText(), QStringLiteral("case 2"));
    row.show({});
    EXPECT_TRUE(words().startsWith(QLatin1String("sets nothing yet")));
}

TEST(CaseRow, DeleteInAnEmptyNameTakesItOut) {
    CaseRow row(0);
    row.show({.name = QStringLiteral("x")});
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
