#include "gui/runs/model/run_list_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <numeric>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr run(const std::string& id, double loss, const std::string& algorithm = "dasgd", int delay = 1,
               const std::string& more = "") {
    storage::RunRow row = makeRun(id, algorithm, "[algorithm]\ndelay = " + std::to_string(delay) + "\n" + more)->row;
    row.finalLoss = loss;
    return makeRunItem(row);
}

class RunListModelTest : public ::testing::Test {
protected:
    RunListModelTest() {
        runs_.take({run("a", 0.5), run("b", 0.05, "sync_sgd", 2), run("c", 0.7, "local_sgd", 3)}, {});
        list_.sort(RunTableModel::FinalLoss, Qt::AscendingOrder);
        forget();
    }
    void forget() {
        for (QSignalSpy* spy : {&reset_, &inserted_, &removed_, &moved_, &changed_}) spy->clear();
    }
    QString ids() {
        QString ids;
        for (int row = 0; row < list_.rowCount(); ++row) ids += list_.rowAt(row).run->id;
        return ids;
    }
    QString header(int column) { return list_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(); }
    RunTableModel runs_;
    RunListModel list_{runs_};
    QAbstractItemModelTester tester_{&list_, QAbstractItemModelTester::FailureReportingMode::Fatal};
    QSignalSpy reset_{&list_, &QAbstractItemModel::modelReset}, inserted_{&list_, &QAbstractItemModel::rowsInserted},
        removed_{&list_, &QAbstractItemModel::rowsRemoved}, moved_{&list_, &QAbstractItemModel::rowsMoved},
        changed_{&list_, &QAbstractItemModel::dataChanged};
};

TEST_F(RunListModelTest, SortsAndFilters) {
    EXPECT_EQ(ids(), "bac");
    EXPECT_EQ(header(RunTableModel::FinalLoss), "final loss ↑");
    EXPECT_EQ(header(RunTableModel::Started), "started");
    list_.sort(RunTableModel::FinalLoss, Qt::DescendingOrder);
    EXPECT_EQ(ids(), "cab");
    EXPECT_EQ(header(RunTableModel::FinalLoss), "final loss ↓");
    EXPECT_FALSE(list_.setFilter(QStringLiteral("delay >= 2")));
    EXPECT_EQ(ids(), "cb");
    EXPECT_FALSE(list_.setFilter({}));
    EXPECT_EQ(ids(), "cab");
}

// A training that was stopped twice is one row: its newest run, which has the curves of all. With other workers a run
// has curves of its own.
TEST_F(RunListModelTest, EarlierPartsOfATrainingAreLeftOut) {
    const auto part = [](const std::string& id, const std::string& from, int workers) {
        storage::RunRow row = run(id, 0.1 * (id.front() - 'a'))->row;
        row.resumedFrom = from;
        row.resumedStep = 500;
        row.steps = 900;
        row.workers = workers;
        return makeRunItem(row);
    };
    runs_.take({part("a", "", 4), part("b", "a", 4), part("c", "b", 4), part("d", "c", 2)}, {});
    EXPECT_EQ(ids(), "cd");
    EXPECT_EQ(list_.runCount(), 2);
    list_.show(RunListModel::LeftOut::EarlierParts, true);
    EXPECT_EQ(ids(), "abcd");
}

// `dasgd resume` that fails at its start leaves a run without a step: the training counts as the interrupted run.
TEST_F(RunListModelTest, WhatNothingWentOnFromIsNoEarlierPart) {
    const auto part = [](const std::string& id, const std::string& from, std::int64_t resumedStep, std::int64_t steps) {
        storage::RunRow row = run(id, 0.1 * (id.front() - 'a'))->row;
        row.resumedFrom = from;
        row.resumedStep = resumedStep;
        row.steps = steps;
        return makeRunItem(row);
    };
    runs_.take({part("a", "", 0, 5000), part("b", "a", 4000, 0), part("c", "a", 4000, 4000)}, {});
    EXPECT_EQ(ids(), "abc");
    runs_.take({part("a", "", 0, 5000), part("b", "a", 4000, 0), part("c", "a", 4000, 4001)}, {});
    EXPECT_EQ(ids(), "bc");
}

// One run leaves the filter as another one enters it: no row has moved, and no index may come to name another run.
TEST_F(RunListModelTest, ARunThatTakesAnothersPlaceIsNotItMoved) {
    const auto show = [&](std::vector<RunItemPtr> runs) {
        runs_.take(std::move(runs), {});
        return ids();
    };
    list_.setFilter(QStringLiteral("delay = 1"));
    EXPECT_EQ(ids(), "a");
    const QPersistentModelIndex a(list_.index(0, 0));
    EXPECT_EQ(show({run("a", 0.5, "dasgd", 9), run("b", 0.6, "dasgd", 1)}), "b");
    EXPECT_FALSE(a.isValid()) << "a is not shown";
    EXPECT_EQ(show({run("b", 0.6), run("c", 0.7)}), "bc");
    const QPersistentModelIndex b(list_.index(0, 0)), c(list_.index(1, 0));
    EXPECT_EQ(show({run("b", 0.6, "dasgd", 9), run("c", 0.7), run("d", 0.8)}), "cd");
    EXPECT_FALSE(b.isValid() && list_.rowAt(b.row()).run->id != "b") << "and no index of it is another run's";
    EXPECT_FALSE(c.isValid() && list_.rowAt(c.row()).run->id != "c");
    EXPECT_EQ(moved_.count(), 0);
}

TEST_F(RunListModelTest, WithAnErrorTheRowsStay) {
    list_.setFilter(QStringLiteral("delay >= 2"));
    const int resets = reset_.count();
    const auto error = list_.setFilter(QStringLiteral("delay >= 2 and"));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->at, 14);
    EXPECT_EQ(ids(), "bc");
    EXPECT_EQ(reset_.count(), resets);
    runs_.take({run("d", 0.6, "dasgd", 5), run("e", 0.6, "dasgd", 1)}, {});
    EXPECT_EQ(ids(), "bdc") << "what comes now passes the filter before";
    EXPECT_TRUE(list_.filterState().error);
}

// Typed key by key, each beginning of the clause is a filter of its own until the clause is seen to be wrong.
TEST_F(RunListModelTest, AWrongClauseThatIsTypedLeavesTheRowsOfWhatStandsBeforeIt) {
    const auto type = [&](const QString& text) {
        for (qsizetype length = 1; length <= text.size(); ++length) list_.setFilter(text.left(length));
    };
    list_.setFilter({});
    const auto all = ids();
    type(QStringLiteral("foo = 3"));
    EXPECT_TRUE(list_.filterState().error);
    EXPECT_EQ(ids(), all) << "no run has the word foo, and nobody looked for it";
    list_.setFilter({});
    type(QStringLiteral("delay >= 2 and foo = 3"));
    EXPECT_TRUE(list_.filterState().error);
    EXPECT_EQ(ids(), "bc");
    type(QStringLiteral("delay >= 2"));
    EXPECT_EQ(ids(), "bc");
}

TEST_F(RunListModelTest, AFilterBecomesValidWithTheRunThatHasItsKey) {
    EXPECT_TRUE(list_.setFilter(QStringLiteral("trace = off")));
    runs_.take({run("d", 0.6, "dasgd", 1, "[record]\ntrace = \"off\"\n")}, {});
    EXPECT_FALSE(list_.filterState().error);
    EXPECT_EQ(ids(), "d");
}

TEST_F(RunListModelTest, AllRowsOfAFilterChangeAtOnce) {
    std::vector<RunItemPtr> many;
    for (int i = 0; i < 10'000; ++i) many.push_back(run(runNumber(i), i, i % 2 == 0 ? "dasgd" : "easgd"));
    runs_.take(many, {});
    forget();
    EXPECT_FALSE(list_.setFilter(QStringLiteral("easgd")));
    EXPECT_EQ(list_.rowCount(), 5'000);
    EXPECT_EQ(reset_.count(), 1);
    EXPECT_EQ(inserted_.count() + removed_.count() + moved_.count() + changed_.count(), 0);
}

TEST_F(RunListModelTest, WhatArrivesLiveKeepsTheOtherRows) {
    const QPersistentModelIndex last = list_.index(2, 0);
    runs_.take({run("d", 0.6)}, {});
    EXPECT_EQ(ids(), "badc");
    EXPECT_EQ(inserted_.count(), 1);
    EXPECT_EQ(last.row(), 3);
    changed_.clear();

    runs_.take({run("a", 0.4)}, {});
    EXPECT_EQ(changed_.count(), 1) << "same place, new number";
    EXPECT_EQ(changed_[0][0].toModelIndex().row(), 1);

    runs_.take({run("b", 0.9, "sync_sgd", 2)}, {});
    EXPECT_EQ(ids(), "adcb");
    EXPECT_EQ(moved_.count(), 1);
    runs_.take({run("b", 0.1, "sync_sgd", 2)}, {});
    EXPECT_EQ(ids(), "badc");
    EXPECT_EQ(moved_.count(), 2);
    EXPECT_EQ(changed_.count(), 3) << "a moved row is also a changed one";

    runs_.take({}, {QStringLiteral("d")});
    EXPECT_EQ(ids(), "bac");
    EXPECT_EQ(removed_.count(), 1);
    EXPECT_EQ(last.row(), 2);
    EXPECT_EQ(reset_.count(), 0);

    runs_.take({run("e", 0.01), run("f", 2)}, {});
    EXPECT_EQ(ids(), "ebacf");
    EXPECT_EQ(reset_.count(), 1) << "several at once";
}

TEST_F(RunListModelTest, ALiveRunLeavesTheListWhenItNoLongerPasses) {
    list_.setFilter(QStringLiteral("loss < 0.6"));
    EXPECT_EQ(ids(), "ba");
    runs_.take({run("b", 0.65, "sync_sgd", 2)}, {});
    EXPECT_EQ(ids(), "a");
    runs_.take({run("c", 0.1, "local_sgd", 3)}, {});
    EXPECT_EQ(ids(), "ca");
}

TEST_F(RunListModelTest, AnyKeyIsAColumn) {
    list_.setKeyColumns({QStringLiteral("algorithm.delay"), QStringLiteral("no.such")});
    ASSERT_EQ(list_.columnCount(), RunTableModel::kColumns + 2);
    const int delay = RunTableModel::kColumns;
    EXPECT_EQ(header(delay), "delay");
    EXPECT_EQ(list_.headerData(delay, Qt::Horizontal, Qt::ToolTipRole).toString(), "algorithm.delay");
    EXPECT_EQ(list_.index(0, delay).data().toString(), "2");
    EXPECT_EQ(list_.index(0, delay + 1).data().toString(), kAbsent);
    EXPECT_EQ(list_.index(0, delay).data(RunTableModel::IdRole).toString(), "b");
    list_.sort(delay, Qt::DescendingOrder);
    EXPECT_EQ(ids(), "cba");
    EXPECT_EQ(header(delay), "delay ↓");
    list_.setKeyColumns({QStringLiteral("no.such"), QStringLiteral("algorithm.delay")});
    EXPECT_EQ(header(delay + 1), "delay ↓") << "the arrow goes with its column";
    list_.setKeyColumns({});
    EXPECT_EQ(list_.columnCount(), RunTableModel::kColumns);
    EXPECT_EQ(ids(), "cba");
}

RunItemPtr ofSeries(const std::string& id, double loss, const std::string& status) {
    storage::RunRow row = run(id, loss)->row;
    row.series = std::string(1, 's');
    row.seriesSize = 3;
    row.status = status;
    return makeRunItem(row);
}

TEST_F(RunListModelTest, AGroupOpensAndClosesInPlace) {
    runs_.take({ofSeries("x", 0.1, "finished"), ofSeries("y", 0.2, "finished")}, {});
    list_.setGrouping(Grouping::bySeries());
    ASSERT_EQ(list_.rowCount(), 4) << "b, the group, a, c";
    ASSERT_TRUE(list_.rowAt(1).isGroup());
    EXPECT_EQ(list_.rowAt(1).runs().size(), 2U);
    EXPECT_EQ(list_.runCount(), 5);
    const QPersistentModelIndex a(list_.index(2, 0));
    forget();
    list_.setOpen(1, true);
    ASSERT_EQ(list_.rowCount(), 6);
    EXPECT_EQ(list_.rowAt(2).id(), "x");
    EXPECT_EQ(list_.rowAt(3).id(), "y");
    EXPECT_EQ(a.row(), 4);
    list_.setOpen(1, false);
    EXPECT_EQ(a.row(), 2);
    EXPECT_EQ(reset_.count(), 0) << "what is looked at stays where it is";
}

// A row "1 of 3 shown" is not what somebody looked for.
TEST_F(RunListModelTest, WhatAFilterFindsIsNotHiddenInAClosedGroup) {
    runs_.take({ofSeries("x", 0.1, "finished"), ofSeries("y", 0.2, "finished")}, {});
    list_.setGrouping(Grouping::bySeries());
    list_.setFilter(QStringLiteral("loss < 0.15 and algorithm = dasgd"));
    ASSERT_EQ(list_.rowCount(), 2);
    EXPECT_EQ(list_.rowAt(1).id(), "x");
    list_.setOpen(0, false);
    EXPECT_EQ(list_.rowCount(), 1) << "who closes it there has it closed";
    list_.setOpen(0, true);
    EXPECT_EQ(list_.rowCount(), 2);
    list_.setOpen(0, false);
    list_.setFilter(QStringLiteral("loss < 0.25 and algorithm = dasgd"));
    EXPECT_EQ(list_.rowCount(), 3) << "another filter finds anew";
    list_.setFilter({});
    EXPECT_EQ(list_.rowCount(), 4) << "the group is as it was before";
}

TEST_F(RunListModelTest, WhatIsFoundStaysOpenWhileAFewMoreCome) {
    std::vector<RunItemPtr> runs;
    const auto add = [&](int count) {
        for (int i = 0; i < count; ++i) {
            runs.push_back(ofSeries(("r" + std::to_string(runs.size())).c_str(), 0.1, "finished"));
        }
        runs_.take(runs, {});
    };
    list_.setGrouping(Grouping::bySeries());
    add(50);
    list_.setFilter(QStringLiteral("loss < 0.15 and algorithm = dasgd"));
    EXPECT_EQ(list_.rowCount(), 1 + 50);
    add(10);
    EXPECT_EQ(list_.rowCount(), 1 + 60) << "nothing closes under a hand that works";
    add(60);
    EXPECT_EQ(list_.rowCount(), 1) << "so many would bury the groups";
}

TEST_F(RunListModelTest, RowsSayWhichFilterChoosesTheirRuns) {
    runs_.take({ofSeries("x", 0.1, "finished"), ofSeries("y", 0.2, "finished")}, {});
    list_.setGrouping(Grouping::bySeries());
    ASSERT_TRUE(list_.rowAt(1).isGroup());
    const QString group = QStringLiteral("experiment = \"%1\"").arg(list_.rowAt(1).group->title);
    EXPECT_EQ(list_.filterOf({1}), group);
    EXPECT_EQ(list_.filterOf({0, 1}), QString()) << "a run was picked";
    EXPECT_EQ(list_.filterOf({}), QString());
    list_.setFilter(QStringLiteral("loss < 10"));
    std::vector<int> every(static_cast<std::size_t>(list_.rowCount()));
    std::iota(every.begin(), every.end(), 0);
    EXPECT_EQ(list_.filterOf(every), QStringLiteral("loss < 10"));
}

TEST_F(RunListModelTest, AGroupSaysHowManyOfItsRunsTheFilterLeaves) {
    list_.setGrouping(Grouping::bySeries());
    runs_.take({ofSeries("x", 0.1, "finished"), ofSeries("y", 0.2, "finished"), ofSeries("z", 0.3, "finished")}, {});
    list_.setFilter(QStringLiteral("loss < 0.15 and algorithm = dasgd"));
    ASSERT_TRUE(list_.rowAt(0).isGroup());
    EXPECT_EQ(list_.index(0, 0).data(RunListModel::GroupWordsRole).toString(),
              "1 of 3 shown: 1 finished  ·  mean of n = 1");
    list_.setFilter(QStringLiteral("algorithm = dasgd"));
    int group = 0;
    while (!list_.rowAt(group).isGroup()) ++group;
    EXPECT_EQ(list_.index(group, 0).data(RunListModel::GroupWordsRole).toString(), "3 finished  ·  mean of n = 3")
        << "the filter hides only others";
}

TEST_F(RunListModelTest, AGroupShowsMeansAndItsRunsWhatTheyDifferIn) {
    list_.setGrouping(Grouping::bySeries());
    const auto of = [this](const char* id, double loss, int delay) {
        storage::RunRow row = ofSeries(id, loss, "finished")->row;
        row.config = delayedBy(delay);
        return makeRunItem(row);
    };
    runs_.take({of("x", 0.1, 1), of("y", 0.2, 1), of("z", 0.3, 2)}, {});
    int group = 0;
    while (!list_.rowAt(group).isGroup()) ++group;
    const auto cell = [&](int row, int column) { return list_.index(row, column).data().toString(); };
    EXPECT_EQ(cell(group, RunTableModel::FinalLoss), QStringLiteral("0.2000"));
    EXPECT_EQ(cell(group, RunTableModel::BestAccuracy), QString()) << "none has it";
    EXPECT_EQ(cell(group, RunTableModel::Seed), QString()) << "no measure";
    list_.setOpen(group, true);
    for (int row = group + 1; row <= group + 3; ++row) {
        const QString delay = QString::fromStdString(*list_.rowAt(row).run->config.find("algorithm.delay"));
        EXPECT_EQ(cell(row, RunTableModel::Settings), QStringLiteral("d\u00a0") + delay) << "and no period";
    }
    list_.setGrouping({});
    int alone = 0;
    while (list_.rowAt(alone).run->id != QStringLiteral("x")) ++alone;
    EXPECT_TRUE(cell(alone, RunTableModel::Settings).contains(QStringLiteral("τ"))) << "it has all of them";
}

TEST_F(RunListModelTest, ASeriesThatStartsIsOpenUntilSomebodyClosesIt) {
    list_.setGrouping(Grouping::bySeries());
    runs_.take({ofSeries("x", 0.1, "running"), ofSeries("y", 0.2, "queued")}, {});
    ASSERT_TRUE(list_.rowAt(1).isGroup());
    EXPECT_TRUE(list_.rowAt(1).group->open);
    list_.setOpen(1, false);
    runs_.take({ofSeries("x", 0.1, "finished"), ofSeries("y", 0.2, "running")}, {});
    EXPECT_FALSE(list_.rowAt(1).group->open);
    EXPECT_TRUE(list_.index(1, 0).data(RunTableModel::LiveRole).toBool());
    EXPECT_TRUE(list_.index(1, 0)
                    .data(Qt::AccessibleTextRole)
                    .toString()
                    .contains(QStringLiteral("1 of 3 finished, 1 running, 1 queued")));
}

}  // namespace
}  // namespace dasgd::gui
