#include "gui/forms/text_card.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

bool shows(const TextCard& card, const QString& words) {
    for (const auto* label : card.findChildren<QLabel*>()) {
        if (label->isVisible() && label->text() == words) return true;
    }
    return false;
}

TEST(TextCard, TheStripIsThereWithAnErrorOnly) {
    TextCard card(testLook());
    card.show();
    card.showFile(QStringLiteral("a.toml"), QString());
    card.showProblem({});
    EXPECT_TRUE(shows(card, QStringLiteral("a.toml")));
    EXPECT_FALSE(shows(card, QStringLiteral("go to it  F8")));
    card.showProblem(QStringLiteral("3:1  no"));
    EXPECT_TRUE(shows(card, QStringLiteral("3:1  no")));
    EXPECT_TRUE(shows(card, QStringLiteral("go to it  F8")));
}

}  // namespace
}  // namespace dasgd::gui
