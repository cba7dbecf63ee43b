#include "gui/compare/left_out_bar.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QToolButton>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(LeftOutBar, ShowsWhatThereIsRoomForAndTellsAll) {
    LeftOutBar bar(testLook());
    EXPECT_TRUE(bar.isHidden()) << "nothing is left out yet";
    bar.say(QStringLiteral("seed 3 was stopped;  and 1 more"), QStringLiteral("seed 3 was stopped\nseed 4 failed"));
    auto* words = bar.findChild<QLabel*>();
    ASSERT_NE(words, nullptr);
    EXPECT_TRUE(words->text().endsWith(QStringLiteral("and 1 more")));
    EXPECT_TRUE(words->toolTip().contains(QStringLiteral("seed 4 failed")));
    EXPECT_EQ(bar.accessibleName(), QStringLiteral("seed 3 was stopped\nseed 4 failed"));
}

TEST(LeftOutBar, TakesTheColoursOfTheTheme) {
    Look look(ThemeName::Dark);
    LeftOutBar bar(look);
    const QString dark = bar.styleSheet();
    look.toggle();
    EXPECT_NE(bar.styleSheet(), dark);
    look.toggle();
    EXPECT_EQ(bar.styleSheet(), dark);
}

TEST(LeftOutBar, WhatDoesNotFitInALineGoesOnInTheNext) {
    LeftOutBar bar(testLook());
    bar.resize(400, 40);
    bar.say(QStringLiteral("dasgd, seed 1 is at step 0 of 48; dasgd, seed 2 waits for its turn; and 12 more. Not "
                           "finished runs are in means of configurations without a finished one only."),
            QStringLiteral("all"));
    bar.show();
    auto* words = bar.findChild<QLabel*>();
    EXPECT_TRUE(eventually([&] {
        bar.resize(400, bar.sizeHint().height());
        return words->height() >= words->heightForWidth(words->width()) &&
               bar.height() > 2 * words->fontMetrics().height();
    }));
}

}  // namespace
}  // namespace dasgd::gui
