#include "gui/runs/model/run_selection.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class RunSelectionTest : public ::testing::Test {
protected:
    void fill(int count) {
        std::vector<RunItemPtr> many;
        for (int i = 0; i < count; ++i) {
            storage::RunRow row = makeRun(runNumber(i), i % 2 == 0 ? "dasgd" : "easgd")->row;
            row.finalLoss = i;
            many.push_back(makeRunItem(row));
        }
        runs_.take(many, {});
        list_.sort(RunTableModel::FinalLoss, Qt::AscendingOrder);
    }
    void select(int first, int last) {
        selection_.select(QItemSelection(list_.index(first, 0), list_.index(last, list_.columnCount() - 1)),
                          QItemSelectionModel::Select);
    }
    QStringList chosen() {
        QStringList ids;
        for (const int row : selection_.rows()) ids << list_.rowAt(row).run->id;
        return ids;
    }
    RunTableModel runs_;
    RunListModel list_{runs_};
    RunSelection selection_{list_};
    QSignalSpy chosenChanged_{&selection_, &RunSelection::chosenChanged},
        changed_{&selection_, &QItemSelectionModel::selectionChanged};
};

TEST_F(RunSelectionTest, GoesWithTheRunsWhenTheyAreSorted) {
    fill(6);
    select(0, 1);
    select(4, 4);
    selection_.setCurrentIndex(list_.index(4, 2), QItemSelectionModel::NoUpdate);
    list_.sort(RunTableModel::FinalLoss, Qt::DescendingOrder);
    EXPECT_EQ(chosen(), (QStringList{"r4", "r1", "r0"}));
    EXPECT_EQ(selection_.rows(), (std::vector<int>{1, 4, 5}));
    EXPECT_EQ(selection_.currentIndex(), list_.index(1, 2));
    EXPECT_TRUE(selection_.isRowSelected(4)) << "whole rows";
}

TEST_F(RunSelectionTest, DropsWhatTheFilterHides) {
    fill(6);
    select(0, 2);
    selection_.setCurrentIndex(list_.index(1, 0), QItemSelectionModel::NoUpdate);
    list_.setFilter(QStringLiteral("algorithm = dasgd"));
    EXPECT_EQ(chosen(), (QStringList{"r0", "r2"}));
    EXPECT_FALSE(selection_.currentIndex().isValid());
    list_.setFilter({});
    EXPECT_EQ(chosen(), (QStringList{"r0", "r2"})) << "a hidden run is not selected behind one's back";
    EXPECT_EQ(selection_.count(), 2);
}

TEST_F(RunSelectionTest, TenThousandSelectedRowsAreFilteredInOneStep) {
    fill(10'000);
    select(0, 9'999);
    chosenChanged_.clear();
    changed_.clear();
    list_.setFilter(QStringLiteral("easgd"));
    EXPECT_EQ(selection_.count(), 5'000);
    EXPECT_EQ(chosenChanged_.count(), 1) << "once a filter, not once for each range of rows";
    EXPECT_EQ(changed_.count(), 0);
    list_.setFilter({});
    EXPECT_EQ(selection_.count(), 5'000) << "every other row: 5,000 ranges";
    list_.setFilter(QStringLiteral("nothing"));
    EXPECT_EQ(selection_.count(), 0);
    EXPECT_EQ(chosenChanged_.count(), 3);
}

TEST_F(RunSelectionTest, StaysWhenRunsArrive) {
    fill(4);
    select(2, 3);
    storage::RunRow row = makeRun("new", "dasgd")->row;
    row.finalLoss = 0.5;
    runs_.take({makeRunItem(row)}, {});
    EXPECT_EQ(chosen(), (QStringList{"r2", "r3"}));
    row.finalLoss = 9;
    storage::RunRow other = makeRun("other", "dasgd")->row;
    other.finalLoss = -1;
    runs_.take({makeRunItem(row), makeRunItem(other)}, {});
    EXPECT_EQ(chosen(), (QStringList{"r2", "r3"}));
}

}  // namespace
}  // namespace dasgd::gui
