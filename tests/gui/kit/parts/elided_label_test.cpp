#include "gui/kit/parts/elided_label.h"

#include <gtest/gtest.h>

#include <QHBoxLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(ElidedLabel, ShowsTheLongestTextThatFits) {
    const QStringList texts{QStringLiteral("first-light / dasgd d 1 seed 1"), QStringLiteral("dasgd d 1 seed 1"),
                            QStringLiteral("dasgd d 1")};
    ElidedLabel label("title");
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

TEST(ElidedLabel, AlwaysHasRoomForWordsThatChangeOftenAndKeepsItsSizeForOnesOfAboutTheSameLength) {
    QWidget window;
    auto* row = new QHBoxLayout(&window);
    auto* label = new ElidedLabel;
    row->addStretch();
    row->addWidget(label);
    label->resize(1, 1);
    label->say(QStringLiteral("2"));
    EXPECT_EQ(label->minimumSize(), label->maximumSize()) << "whatever size it had before";
    window.show();
    label->say(QStringLiteral("live · 28 ms behind     1 000 spans"));
    QCoreApplication::processEvents();
    EXPECT_TRUE(window.rect().contains(label->geometry())) << "the layout gives it its room";
    const QSize size = label->size();
    const auto wordsOf = [&] { return label->fontMetrics().horizontalAdvance(label->text()); };
    EXPECT_GE(size.width(), wordsOf());
    label->say(QStringLiteral("live · 9 ms behind     1 001 spans"));
    EXPECT_EQ(label->size(), size);
    label->say(QStringLiteral("live · 1 238 ms behind     100 001 000 spans and a few words more"));
    QCoreApplication::processEvents();
    EXPECT_GE(label->width(), wordsOf());
    label->say(QStringLiteral("up to date"));
    QCoreApplication::processEvents();
    EXPECT_LT(label->width(), size.width()) << "room that is not needed is given back";
}

}  // namespace
}  // namespace dasgd::gui
