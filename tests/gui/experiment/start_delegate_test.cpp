#include "gui/experiment/start_delegate.h"

#include <gtest/gtest.h>

#include <QListView>

#include "gui/experiment/model/start_list.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(StartDelegate, WhatThePageShowsStandsOutAndAHeadIsLower) {
    StartList list({{":/a.toml", "first-light", "What a delay does.", "a = 1"},
                    {":/b.toml", "scaling", "How it scales.", "b = 1"}});
    QListView view;
    view.setModel(&list);
    view.setItemDelegate(new StartDelegate(testLook(), &view));
    view.resize(200, 200);
    view.show();
    EXPECT_LT(view.sizeHintForRow(0), view.sizeHintForRow(1));
    const auto colorOf = [&](int row) {
        const QRect box = view.visualRect(list.index(row));
        return view.viewport()->grab(box).toImage().pixelColor(box.width() - 10, box.height() / 2);
    };
    const QColor plain = colorOf(1);
    list.setShown(QStringLiteral("a = 1"));
    EXPECT_EQ(colorOf(1), testLook().theme().selection);
    EXPECT_EQ(colorOf(2), plain);
    view.setCurrentIndex(list.index(2));
    EXPECT_EQ(colorOf(2), plain) << "the keyboard is there, the page shows the other";
    EXPECT_EQ(colorOf(1), testLook().theme().selection);
    list.setShown({});
    EXPECT_EQ(colorOf(1), plain);
    EXPECT_NE(colorOf(0), testLook().theme().selection) << "a head cannot be chosen";
}

TEST(StartDelegate, ASentenceHasTheLinesThatItNeeds) {
    StartList list(
        {{":/a.toml", "short", "How it scales.", "a = 1"},
         {":/b.toml", "long", "What a delay of the average does on real digits over a slow link.", "b = 1"}});
    const auto heights = [&](int width) {
        QListView view;
        view.setModel(&list);
        view.setItemDelegate(new StartDelegate(testLook(), &view));
        view.resize(width, 300);
        view.show();
        return std::pair(view.visualRect(list.index(1)).height(), view.visualRect(list.index(2)).height());
    };
    EXPECT_LT(heights(200).first, heights(200).second);
    EXPECT_EQ(heights(600).first, heights(600).second) << "one line each";
    EXPECT_EQ(heights(600).first, heights(200).first);
}

}  // namespace
}  // namespace dasgd::gui
