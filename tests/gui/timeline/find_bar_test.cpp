#include "gui/timeline/find_bar.h"

#include <gtest/gtest.h>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

TEST_F(SessionBench, FindBarSaysWhatIsWrongAtItsPlace) {
    look();
    QWidget page;
    FindBar bar(session_, page);
    page.show();
    bar.field().setText(QStringLiteral("wait > 20ms and rnk = 3"));
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    EXPECT_TRUE(bar.words().startsWith(QStringLiteral("at character 17: spans have no field “rnk”")))
        << bar.words().toStdString();
    EXPECT_EQ(bar.field().cursorPosition(), 16);
    EXPECT_EQ(bar.field().accessibleDescription(), bar.words());
    bar.field().setText(QStringLiteral("merge"));
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    ASSERT_TRUE(eventually([&] { return bar.words().contains(QStringLiteral("found, ")); }));
    ASSERT_TRUE(bar.finder().shown());
    const RankSpan first = *bar.finder().shown();
    QTest::keyClick(&bar.field(), Qt::Key_Return);
    EXPECT_FALSE(bar.finder().shown()->rank == first.rank && bar.finder().shown()->span.start == first.span.start);
    QTest::keyClick(&bar.field(), Qt::Key_Return, Qt::ShiftModifier);
    EXPECT_EQ(bar.finder().shown()->span.start, first.span.start);
    QTest::keyClick(&bar.field(), Qt::Key_Escape);
    EXPECT_FALSE(bar.finder().shown());
    EXPECT_TRUE(bar.words().isEmpty());
}

// The page makes the bar this wide in a window of 1280 pixels.
TEST_F(SessionBench, TheExampleInTheFindBarIsWhole) {
    QWidget page;
    FindBar bar(session_, page);
    bar.resize(590, 32);
    page.resize(600, 40);
    page.show();
    QCoreApplication::processEvents();
    const int needed = bar.field().fontMetrics().horizontalAdvance(bar.field().placeholderText());
    constexpr int kInField = 30;  // its padding and frame
    EXPECT_GE(bar.field().width(), needed + kInField);
}

}  // namespace
}  // namespace dasgd::gui
