#include "gui/experiment/start_card.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QListView>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(StartCard, AClickOrEnterChoosesAndAHeadDoesNot) {
    StartCard card(testLook());
    card.resize(196, 700);
    card.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&card));
    QStringList chosen;
    QObject::connect(&card, &StartCard::chosen, &card, [&](const Start& start) { chosen << start.title; });
    QListView& list = card.list();
    const auto click = [&](int row) {
        QTest::mouseClick(list.viewport(), Qt::LeftButton, {}, list.visualRect(list.model()->index(row, 0)).center());
    };
    click(0);
    EXPECT_TRUE(chosen.isEmpty());
    card.filter().setText(QStringLiteral("delay-sweep"));
    click(1);
    EXPECT_EQ(chosen, QStringList{QStringLiteral("delay-sweep")});
    list.setFocus();
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_EQ(chosen.size(), 2);
}

}  // namespace
}  // namespace dasgd::gui
