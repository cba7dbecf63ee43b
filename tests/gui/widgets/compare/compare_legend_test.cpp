#include "gui/widgets/compare/compare_legend.h"

#include <gtest/gtest.h>

#include <QToolButton>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareLegendTest = CompareBench;

TEST_F(CompareLegendTest, SpaceHidesAndEnterHighlights) {
    CompareLegend legend(board_, testLook());
    look();
    legend.resize(290, 400);
    legend.show();
    QListView& list = legend.list();
    list.setCurrentIndex(list.model()->index(1, 0));
    QTest::keyClick(&list, Qt::Key_Space);
    EXPECT_TRUE(board_.isHidden(1));
    QTest::keyClick(&list, Qt::Key_Space);
    EXPECT_FALSE(board_.isHidden(1));
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_EQ(board_.highlighted(), 1U);
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_FALSE(board_.highlighted());
}

TEST_F(CompareLegendTest, APinAndTheCurrentRowStayWhereRunsAreAdded) {
    CompareLegend legend(board_, testLook());
    look();
    legend.show();
    QListView& list = legend.list();
    list.setCurrentIndex(list.model()->index(1, 0));
    QTest::keyClick(&list, Qt::Key_Return);
    const std::string pinned = board_.groups()[1].key;
    workspace_.record({.algorithm = "sync_sgd", .seed = 4, .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    const std::size_t sync = placeOf("sync");
    ASSERT_TRUE(eventually([&] { return board_.groups()[sync].runs.size() == 4; }));
    EXPECT_EQ(list.currentIndex().row(), 1);
    ASSERT_TRUE(board_.highlighted());
    EXPECT_EQ(board_.groups()[*board_.highlighted()].key, pinned);
    QTest::keyClick(&list, Qt::Key_Return);
    EXPECT_FALSE(board_.highlighted()) << "Enter once more lets go";
}

TEST_F(CompareLegendTest, AFilterThatIsNoneSaysWhere) {
    CompareLegend legend(board_, testLook());
    look();
    legend.show();
    QTest::keyClicks(&legend.filter(), QStringLiteral("dellay = 3"));
    bool said = false;
    for (const QLabel* label : legend.findChildren<QLabel*>()) {
        said = said || (label->isVisible() && label->text().startsWith(QStringLiteral("At character 1")));
    }
    EXPECT_TRUE(said);
}

TEST_F(CompareLegendTest, AllNoneAndInvertActOnWhatIsListed) {
    CompareLegend legend(board_, testLook());
    look();
    const auto press = [&](const char* text) {
        for (auto* button : legend.findChildren<QToolButton*>()) {
            if (button->text() == QLatin1String(text)) button->click();
        }
    };
    board_.setFilter(QStringLiteral("delay >= 1"));
    press("none");
    board_.setFilter({});
    EXPECT_EQ(board_.shown(), (std::vector<std::size_t>{placeOf("sync")}));
    press("invert");
    EXPECT_EQ(board_.shown().size(), 2U);
    press("all");
    EXPECT_EQ(board_.shown().size(), 3U);
}

}  // namespace
}  // namespace dasgd::gui
