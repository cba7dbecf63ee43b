#include "gui/figures/figure_list_card.h"

#include <gtest/gtest.h>

#include <QListView>
#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FigureListCard, IsUsedByKeyboard) {
    const QTemporaryDir folder;
    FigureLibrary library(folder.path().toStdString());
    ASSERT_TRUE(eventually([&] { return library.loaded(); }));
    library.add({}, QStringLiteral("a"));
    library.add({}, QStringLiteral("b"));
    FigureListModel list(library);
    FigureListCard card(list, testLook());
    card.show();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&card));
    QSignalSpy chosen(&card, &FigureListCard::chosen), fresh(&card, &FigureListCard::newWanted),
        gone(&card, &FigureListCard::deleteWanted);
    card.select(QStringLiteral("a"));
    card.view().setFocus();
    QTest::keyClick(&card.view(), Qt::Key_Down);
    ASSERT_FALSE(chosen.isEmpty());
    EXPECT_EQ(chosen.last()[0].toString(), QStringLiteral("b"));
    for (QToolButton* button : card.findChildren<QToolButton*>()) {
        if (button->text() == QStringLiteral("New figure") || button->text() == QStringLiteral("Delete"))
            QTest::keyClick(button, Qt::Key_Space);
    }
    EXPECT_EQ(fresh.count(), 1);
    EXPECT_EQ(gone.count(), 1);
    card.setDeletable(false);
    for (QToolButton* button : card.findChildren<QToolButton*>()) {
        if (!button->menu()) QTest::keyClick(button, Qt::Key_Space);
    }
    EXPECT_EQ(gone.count(), 1);
}

TEST(FigureListCard, AFolderIsALinkWhateverItIsCalled) {
    const QTemporaryDir folder;
    FigureLibrary library(folder.path().toStdString());
    FigureListModel list(library);
    FigureListCard card(list, testLook());
    card.show();
    card.setExported(QStringLiteral("/x/<b>\"loss\"</b>"));
    QString text;
    for (const QLabel* label : card.findChildren<QLabel*>()) {
        if (label->isVisible() && label->textFormat() == Qt::RichText) text = label->text();
    }
    EXPECT_TRUE(text.contains(QLatin1String("<a href=\"/x/&lt;b&gt;&quot;loss"))) << text.toStdString();
    EXPECT_FALSE(text.contains(QLatin1String("<b>")));
}

}  // namespace
}  // namespace dasgd::gui
