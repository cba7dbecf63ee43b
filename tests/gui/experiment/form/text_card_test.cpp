#include "gui/experiment/form/text_card.h"

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
    card.showProblems({});
    EXPECT_TRUE(shows(card, QStringLiteral("a.toml")));
    EXPECT_FALSE(shows(card, QStringLiteral("go to it  F8")));
    card.showProblems({{3, 1, QStringLiteral("no"), {}}});
    EXPECT_TRUE(shows(card, QStringLiteral("3:1  no")));
    EXPECT_TRUE(shows(card, QStringLiteral("go to it  F8")));
}

TEST(TextCard, AFewOfManyErrorsAreListed) {
    TextCard card(testLook());
    card.show();
    std::vector<Problem> problems;
    for (int line = 1; line <= 5; ++line) problems.push_back({line, 1, QStringLiteral("no"), {}});
    card.showProblems(problems);
    EXPECT_TRUE(shows(card, QStringLiteral("1:1  no\n2:1  no\n3:1  no\n4:1  no\n5:1  no")));
    EXPECT_TRUE(shows(card, QStringLiteral("go to the next one  F8")));
    problems.push_back({6, 1, QStringLiteral("no"), {}});
    card.showProblems(problems);
    EXPECT_TRUE(shows(card, QStringLiteral("1:1  no\n2:1  no\n3:1  no\n4:1  no\nand 2 more")));
}

}  // namespace
}  // namespace dasgd::gui
