#include "gui/compare/compare_table.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QClipboard>
#include <QMimeData>
#include <QScrollBar>
#include <QSignalSpy>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareTableTest = CompareBench;

TEST_F(CompareTableTest, CtrlCCopiesTextAndCsv) {
    CompareTable table(board_, testLook());
    look();
    table.resize(900, 300);
    table.show();
    table.activateWindow();
    table.table().setFocus();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    QTest::keyClick(&table.table(), Qt::Key_C, Qt::ControlModifier);
    const QMimeData* data = QApplication::clipboard()->mimeData();
    ASSERT_NE(data, nullptr);
    EXPECT_TRUE(data->text().contains(QStringLiteral("sync_sgd\t3")));
    EXPECT_TRUE(data->data(QStringLiteral("text/csv")).startsWith("configuration,"));
}

TEST_F(CompareTableTest, EnterOpensARowAndTheRowHighlights) {
    CompareTable table(board_, testLook());
    look();
    table.resize(900, 300);
    table.show();
    table.activateWindow();
    table.table().setFocus();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&table));
    table.table().setCurrentIndex(table.table().model()->index(1, 0));
    EXPECT_EQ(board_.choice.highlighted(), 1U);
    QSignalSpy spy(&table, &CompareTable::opened);
    QTest::keyClick(&table.table(), Qt::Key_Return);
    ASSERT_EQ(spy.size(), 1);
    const CompareGroup& group = board_.choice.groups()[1];
    EXPECT_EQ(spy[0][0].toStringList().size(), std::ssize(group.runs)) << "a name stands for all of its runs";
    // A number opens the runs that it is of.
    const std::size_t cut = placeOf("d 3");
    table.table().setCurrentIndex(table.table().model()->index(static_cast<int>(cut), CompareTableModel::StepMs));
    QTest::keyClick(&table.table(), Qt::Key_Return);
    ASSERT_EQ(spy.size(), 2);
    EXPECT_EQ(spy[1][0].toStringList().size(), 2);
    EXPECT_FALSE(spy[1][0].toStringList().contains(stopped_)) << "it is in no mean";
}

TEST_F(CompareTableTest, NoNumberIsCutWhereTheColumnsNeedMoreThanThereIs) {
    CompareTable table(board_, testLook());
    look();
    table.show();
    for (const int width : {500, 1000, 2400}) {
        table.resize(width, 300);
        QTest::qWait(0);
        const QAbstractItemView& view = table.table();
        for (int column = 0; column < table.table().model()->columnCount(); ++column) {
            if (table.table().isColumnHidden(column)) continue;  // a number that no run has
            if (column == CompareTableModel::Name && width < 1000) continue;
            EXPECT_GE(table.table().columnWidth(column), view.sizeHintForColumn(column)) << width << ' ' << column;
        }
    }
    EXPECT_FALSE(table.table().horizontalScrollBar()->isVisible()) << "where there is room the columns share it";
}

TEST_F(CompareTableTest, LongNamesLeaveRoomForTheNumberOfSeedsAndTheFirstNumbers) {
    for (const char* experiment :
         {"a-sweep-with-a-name-that-is-longer-than-any-column-of-a-table-should-be", "another"}) {
        for (const int delay : {1, 2})
            workspace_.record({.experiment = experiment, .ranks = 2, .delay = delay, .steps = 50});
    }
    QStringList all;
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 13; }));
    for (const RunItemPtr& run : session_.runs().items()) all << run->id;
    board_.curves.want(this, loss_);
    board_.choice.setWatching(true);
    board_.choice.setRuns(all, {});
    CompareTable table(board_, testLook());
    table.resize(700, 300);
    table.show();
    ASSERT_TRUE(eventually([&] { return board_.results.row(0) != nullptr; }));
    QTest::qWait(0);
    const QTableView& view = table.table();
    ASSERT_GT(static_cast<const QAbstractItemView&>(view).sizeHintForColumn(CompareTableModel::Name), 500);
    for (const int column : {CompareTableModel::Count, CompareTableModel::Samples, CompareTableModel::FinalLoss}) {
        EXPECT_LE(view.columnViewportPosition(column) + view.columnWidth(column), view.viewport()->width()) << column;
    }
}

TEST_F(CompareTableTest, TheWordsBelowItAreWholeInANarrowCard) {
    CompareTable table(board_, testLook());
    look();
    table.resize(420, 400);
    table.show();
    const QLabel* foot = nullptr;
    for (const QLabel* one : table.findChildren<QLabel*>()) {
        if (one->text().startsWith(QStringLiteral("mean ±"))) foot = one;
    }
    ASSERT_NE(foot, nullptr);
    EXPECT_TRUE(foot->wordWrap());
    EXPECT_TRUE(eventually([&] { return foot->height() >= foot->heightForWidth(foot->width()); }))
        << foot->height() << " of " << foot->heightForWidth(foot->width());
}

TEST_F(CompareTableTest, TheNameOfTheBaselineDoesNotWidenTheCard) {
    CompareTable table(board_, testLook());
    look();
    QStringList ids;
    for (const char* name : {"a", "b"}) {
        ids << workspace_.record({.algorithm = std::string(90, *name), .ranks = 2, .steps = 20});
    }
    ASSERT_TRUE(eventually([&] { return session_.runs().rowCount() == 11; }));
    board_.choice.setRuns(ids);
    board_.choice.setBaseline(0);
    QToolButton* baseline = nullptr;
    EXPECT_TRUE(eventually([&] {
        for (auto* one : table.findChildren<QToolButton*>()) {
            if (one->text().startsWith(QStringLiteral("baseline "))) baseline = one;
        }
        return baseline && baseline->text().contains(QChar(0x2026));
    }));
    ASSERT_NE(baseline, nullptr);
    EXPECT_LT(table.minimumSizeHint().width(), 640);
    EXPECT_TRUE(baseline->toolTip().contains(board_.choice.groups()[*board_.results.baseline()].name)) << "whole";
}

}  // namespace
}  // namespace dasgd::gui
