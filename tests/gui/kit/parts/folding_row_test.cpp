#include "gui/kit/parts/folding_row.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QVBoxLayout>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(FoldingRow, ItsSecondPartGoesBelowWhereBothDoNotFit) {
    auto* first = new QLabel(QStringLiteral("Training loss"));
    auto* second = new QLabel(QStringLiteral("step  log  smooth 0.9"));
    QWidget page;
    auto* column = new QVBoxLayout(&page);
    auto* row = new FoldingRow(first, second);
    column->addWidget(row);
    column->addStretch();
    const int both = first->sizeHint().width() + second->sizeHint().width();
    page.resize(both + 80, 200);
    page.show();
    QCoreApplication::processEvents();
    EXPECT_FALSE(row->isFolded());
    EXPECT_EQ(second->geometry().right(), row->width() - 1) << "at the right edge";
    const int low = row->height();
    second->setText(second->text() + QStringLiteral(" and a longer choice than before"));
    ASSERT_TRUE(eventually([&] { return row->isFolded(); })) << "what is chosen may be longer";
    EXPECT_TRUE(eventually([&] { return row->height() > low && second->y() >= first->geometry().bottom(); }));
    EXPECT_LT(row->minimumSizeHint().width(), first->sizeHint().width() + second->sizeHint().width());
    second->setText(QStringLiteral("step"));
    EXPECT_TRUE(eventually([&] { return !row->isFolded() && row->height() == low; }));
}

}  // namespace
}  // namespace dasgd::gui
