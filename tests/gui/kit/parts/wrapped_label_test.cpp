#include "gui/kit/parts/wrapped_label.h"

#include <gtest/gtest.h>

#include <QVBoxLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(WrappedLabel, HasAsManyLinesAsItsWordsNeedInTheWidthThatIsLeft) {
    QWidget window;
    auto* column = new QVBoxLayout(&window);
    auto* label = new WrappedLabel("small");
    column->addWidget(label);
    column->addStretch();
    window.resize(600, 300);
    window.show();
    label->say(QStringLiteral("final loss and accuracy are not comparable"));
    const int text = label->fontMetrics().height();
    const auto isOneLine = [&] { return label->height() >= text && label->height() < 2 * text; };
    EXPECT_TRUE(eventually(isOneLine));
    window.resize(160, 300);
    EXPECT_TRUE(eventually([&] { return label->height() >= 2 * text; }));
    EXPECT_EQ(window.width(), 160) << "long words do not make a window wide";
    EXPECT_EQ(label->height(), label->heightForWidth(label->width()));
    window.resize(600, 300);
    EXPECT_TRUE(eventually(isOneLine));
    EXPECT_FALSE(column->hasHeightForWidth());
}

}  // namespace
}  // namespace dasgd::gui
