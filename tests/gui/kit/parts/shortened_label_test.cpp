#include "gui/kit/parts/shortened_label.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(ShortenedLabel, ShowsTheLongestTextThatFits) {
    const QStringList texts{QStringLiteral("first-light / dasgd d 1 seed 1"), QStringLiteral("dasgd d 1 seed 1"),
                            QStringLiteral("dasgd d 1")};
    ShortenedLabel label("title");
    label.setTexts(texts);
    label.show();
    for (const QString& text : texts) {
        label.resize(label.fontMetrics().horizontalAdvance(text) + 2, 30);
        EXPECT_EQ(label.text(), text);
    }
    label.resize(10, 30);
    EXPECT_EQ(label.text(), texts.back()) << "cut at its end";
    label.resize(900, 30);
    EXPECT_EQ(label.text(), texts.front());
}

}  // namespace
}  // namespace dasgd::gui
