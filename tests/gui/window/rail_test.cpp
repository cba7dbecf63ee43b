#include "gui/window/rail.h"

#include <gtest/gtest.h>

#include <QSignalSpy>
#include <QToolButton>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(Rail, PagesAreChosenByMouseAndKeys) {
    Rail rail(testLook(), QStringLiteral("/some/workspace"));
    rail.add(QStringLiteral("Runs"), QStringLiteral("M1 2.5h10"));
    rail.add(QStringLiteral("Run"), QStringLiteral("M5 2.5v10"));
    rail.resize(208, 600);
    rail.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&rail));
    QSignalSpy chosen(&rail, &Rail::chosen);
    const auto buttons = rail.findChildren<RailButton*>();
    ASSERT_EQ(buttons.size(), 2);
    QTest::mouseClick(buttons[1], Qt::LeftButton);
    QTest::keyClick(&rail, Qt::Key_1, Qt::ControlModifier);
    ASSERT_EQ(chosen.count(), 2);
    EXPECT_EQ(chosen[0][0].toInt(), 1);
    EXPECT_EQ(chosen[1][0].toInt(), 0);
    rail.choose(0);
    EXPECT_TRUE(buttons[0]->isChecked());
    EXPECT_FALSE(buttons[1]->isChecked());
}

TEST(Rail, TheWorkspaceLeadsToAnother) {
    Rail rail(testLook(), QStringLiteral("/some/<workspace>"));
    QSignalSpy wanted(&rail, &Rail::workspaceWanted);
    QToolButton* path = nullptr;
    for (auto* one : rail.findChildren<QToolButton*>()) {
        if (one->accessibleName().contains(QStringLiteral("open another"))) path = one;
    }
    ASSERT_NE(path, nullptr);
    EXPECT_EQ(path->text(), QStringLiteral("/some/<workspace>"));
    EXPECT_TRUE(path->toolTip().contains(QStringLiteral("&lt;workspace&gt;")));
    path->click();
    EXPECT_EQ(wanted.count(), 1);
}

TEST(Rail, AnIconIsDrawnFromItsPath) {
    const auto imageOf = [](const QString& icon) {
        RailButton button(QString(), icon, QString(), testLook());
        button.resize(190, 38);
        return button.grab().toImage();
    };
    const QImage none = imageOf(QString()), line = imageOf(QStringLiteral("M0 7.5h15"));
    EXPECT_NE(line, none);
    EXPECT_NE(line, imageOf(QStringLiteral("M7.5 0v15")));
    EXPECT_EQ(imageOf(QStringLiteral("M0 7.5h15")), line);
}

TEST(Rail, FoldedItKeepsItsIconsTipsAndKeys) {
    Rail rail(testLook(), QStringLiteral("/some/long/path/of/a/workspace"));
    rail.add(QStringLiteral("Runs"), QStringLiteral("M1 2.5h10"));
    rail.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&rail));
    const int whole = rail.width();
    rail.setFolded(true);
    rail.add(QStringLiteral("Run"), QStringLiteral("M5 2.5v10"));
    EXPECT_LT(rail.width(), whole / 3);
    EXPECT_TRUE(eventually([&] { return rail.minimumSizeHint().width() <= rail.width(); })) << "nothing of it is cut";
    for (const auto* button : rail.findChildren<RailButton*>()) EXPECT_FALSE(button->toolTip().isEmpty());
    QSignalSpy chosen(&rail, &Rail::chosen);
    QTest::keyClick(&rail, Qt::Key_2, Qt::ControlModifier);
    EXPECT_EQ(chosen.count(), 1);
    rail.setFolded(false);
    EXPECT_EQ(rail.width(), whole);
}

TEST(Rail, TheThemeButtonAsks) {
    Rail rail(testLook(), {});
    QSignalSpy wanted(&rail, &Rail::themeWanted);
    for (auto* button : rail.findChildren<QToolButton*>()) {
        if (button->text() == QStringLiteral("light / dark")) button->click();
    }
    EXPECT_EQ(wanted.count(), 1);
}

}  // namespace
}  // namespace dasgd::gui
