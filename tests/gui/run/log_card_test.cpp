#include "gui/run/log_card.h"

#include <gtest/gtest.h>

#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include "tests/gui/support/rank_logs.h"
#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class LogCardTest : public SessionBench {};

TEST_F(LogCardTest, ShowsTheLogOfTheRankThatIsChosen) {
    LogCard card(session_);
    look();
    for (const char* rank : {"0", "1"}) {
        writeLog(workspace_.path(), id_, QStringLiteral("rank-%1.log").arg(QLatin1String(rank)),
                 QByteArray("this is ") + rank + "\n");
    }
    ASSERT_TRUE(eventually([&] { return card.text().contains(QStringLiteral("this is 0")); }));
    card.files().setCurrentIndex(1);
    emit card.files().textActivated(card.files().itemText(1));
    ASSERT_TRUE(eventually([&] { return card.text().contains(QStringLiteral("this is 1")); }));
}

TEST_F(LogCardTest, FollowsTheRunThatIsLookedAt) {
    LogCard card(session_);
    look();
    writeLog(workspace_.path(), id_, QStringLiteral("rank-0.log"), "the newest\n");
    writeLog(workspace_.path(), other_, QStringLiteral("rank-0.log"), "the other\n");
    ASSERT_TRUE(eventually([&] { return card.text() == QStringLiteral("the newest\n"); }));
    session_.choose(other_);
    EXPECT_EQ(card.text(), QString()) << "no log under another run's name";
    ASSERT_TRUE(eventually([&] { return card.text() == QStringLiteral("the other\n"); }));
}

TEST_F(LogCardTest, IsBroughtIntoViewOfAPageThatScrolls) {
    QScrollArea area;
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->addSpacing(3000);
    auto* card = new LogCard(session_);
    column->addWidget(card);
    area.setWidget(page);
    area.setWidgetResizable(true);
    area.resize(400, 500);
    area.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&area));
    ASSERT_EQ(area.verticalScrollBar()->value(), 0);
    card->bringUp();
    EXPECT_TRUE(QRect({}, area.viewport()->size()).contains(card->mapTo(area.viewport(), card->rect().center())));
}

}  // namespace
}  // namespace dasgd::gui
