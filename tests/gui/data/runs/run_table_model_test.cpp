#include "gui/data/runs/run_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <limits>

#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

class RunTableModelTest : public ::testing::Test {
protected:
    QString cell(int row, RunTableModel::Column column) { return model_.index(row, column).data().toString(); }
    RunTableModel model_;
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

RunItemPtr withNumbers() {
    storage::RunRow row = makeRun("r1", "dasgd")->row;
    row.steps = 1300;
    row.timedSteps = 1000;
    row.stepMs = 8;
    // A part of the 8 s: a collector was killed.
    row.measuredS = 4;
    row.blockedS = 0.18;
    row.hidden = 0.9921;
    row.bestAccuracy = 0.974;
    row.finalLoss = 0.11834;
    row.samplesPerS = 24310.4;
    row.wallS = 41;
    return makeRunItem(row);
}

TEST_F(RunTableModelTest, SaysNumbersInTheirUnits) {
    model_.take({withNumbers(), makeRun("r2", "sync_sgd")}, {});
    EXPECT_EQ(cell(0, RunTableModel::Hidden), QStringLiteral("99.2 %"));
    EXPECT_EQ(cell(0, RunTableModel::Blocked), QStringLiteral("0.36"));
    EXPECT_EQ(cell(0, RunTableModel::BestAccuracy), QStringLiteral("97.4 %"));
    EXPECT_EQ(cell(0, RunTableModel::FinalLoss), QStringLiteral("0.1183"));
    EXPECT_EQ(cell(0, RunTableModel::SamplesPerS), QStringLiteral("24\u2009310"));
    EXPECT_EQ(cell(0, RunTableModel::Wall), QStringLiteral("41.0\u00a0s"));
    EXPECT_EQ(cell(1, RunTableModel::Hidden), kAbsent);
    EXPECT_EQ(cell(1, RunTableModel::Blocked), kAbsent);
}

TEST_F(RunTableModelTest, RepetitionsByAnotherSeedAreToldApart) {
    const auto jitter = [](const char* id, const char* seed) {
        return makeRun(id, "dasgd", std::string("[train]\nseed = 1\n[compute]\nseed = ") + seed + "\n");
    };
    model_.take({jitter("r1", "2"), jitter("r2", "3"), makeRun("r3", "dasgd", "[train]\nseed = 1\n")}, {});
    EXPECT_EQ(cell(0, RunTableModel::Seed), QStringLiteral("1, compute 2"));
    EXPECT_EQ(cell(1, RunTableModel::Seed), QStringLiteral("1, compute 3"));
    EXPECT_EQ(cell(2, RunTableModel::Seed), QStringLiteral("1"));
    EXPECT_TRUE(
        model_.index(0, RunTableModel::Seed).data(Qt::ToolTipRole).toString().contains(cell(0, RunTableModel::Seed)));
}

// The resolved configuration of every simulated run has these seeds, and its schema says nothing of them.
TEST_F(RunTableModelTest, SeedsThatAreAsByDefaultAreNotSaid) {
    const std::string seeds = "[train]\nseed = 3\n[compute]\nseed = 1\n[faults]\nseed = 1\n";
    model_.take(
        {makeRun("r1", "dasgd", seeds, 3), makeRun("r2", "dasgd", seeds + "[network.background]\nseed = 7\n", 3)}, {});
    EXPECT_EQ(cell(0, RunTableModel::Seed), QStringLiteral("3"));
    EXPECT_EQ(cell(1, RunTableModel::Seed), QStringLiteral("3, network.background 7"));
}

TEST_F(RunTableModelTest, WhatNeverBeganHasNoTimes) {
    storage::RunRow begun = makeRun("r4", "dasgd", "", 1, "stopped")->row;
    begun.wallS = 41;
    model_.take({makeRun("r1", "dasgd", "", 1, "stopped"), makeRun("r2", "dasgd", "", 1, "failed"),
                 makeRun("r3", "dasgd", "", 1, "running"), makeRunItem(begun)},
                {});
    EXPECT_EQ(cell(0, RunTableModel::Started), kAbsent);
    EXPECT_EQ(cell(0, RunTableModel::Wall), kAbsent);
    EXPECT_NE(cell(1, RunTableModel::Started), kAbsent) << "it was tried then";
    EXPECT_EQ(cell(1, RunTableModel::Wall), kAbsent);
    EXPECT_NE(cell(2, RunTableModel::Wall), kAbsent);
    EXPECT_NE(cell(3, RunTableModel::Started), kAbsent);
    EXPECT_EQ(cell(3, RunTableModel::Wall), QStringLiteral("41.0\u00a0s"));
}

TEST_F(RunTableModelTest, WhatWaitsSaysItsTurn) {
    storage::RunRow row = makeRun("r1", "dasgd")->row;
    row.status = "queued";
    row.queueTurn = 2;
    row.seriesSize = 4;
    storage::RunRow entry = row;
    entry.runId = "r2";
    entry.inQueue = true;
    model_.take({makeRunItem(row), makeRunItem(entry)}, {});
    const auto tip = [&](int of) { return model_.index(of, RunTableModel::Started).data(Qt::ToolTipRole).toString(); };
    EXPECT_EQ(cell(0, RunTableModel::Started), QStringLiteral("run 3 of 4")) << "no turn: others may start before it";
    EXPECT_TRUE(tip(0).contains(QStringLiteral("run 3 of 4 of its sweep"))) << tip(0).toStdString();
    EXPECT_EQ(cell(1, RunTableModel::Started), QStringLiteral("turn 3")) << "of all that wait there";
    EXPECT_TRUE(tip(1).contains(QStringLiteral("turn 3 in the queue"))) << tip(1).toStdString();
    for (const int waiting : {0, 1}) EXPECT_EQ(cell(waiting, RunTableModel::Wall), kAbsent) << waiting;
}

TEST_F(RunTableModelTest, SimulatedTimesAreToldFromMeasuredOnes) {
    storage::RunRow row = withNumbers()->row;
    row.timeSimulated = true;
    storage::RunRow young = makeRun("r2", "dasgd")->row;
    young.timeSimulated = true;
    model_.take({makeRunItem(row), makeRunItem(young), makeRun("r3", "dasgd")}, {});
    EXPECT_EQ(cell(0, RunTableModel::Wall), QStringLiteral("41.0\u00a0s sim"));
    EXPECT_EQ(cell(0, RunTableModel::Blocked), QStringLiteral("0.36 sim"));
    EXPECT_EQ(cell(0, RunTableModel::SamplesPerS), QStringLiteral("24\u2009310 sim"));
    EXPECT_EQ(cell(0, RunTableModel::FinalLoss), QStringLiteral("0.1183")) << "no time";
    EXPECT_EQ(cell(1, RunTableModel::Blocked), kAbsent);
    const auto tip = [this](int number) { return model_.index(number, 0).data(Qt::ToolTipRole).toString(); };
    EXPECT_TRUE(tip(0).contains(QStringLiteral("simulated time")));
    EXPECT_FALSE(tip(2).contains(QStringLiteral("simulated")));
}

TEST_F(RunTableModelTest, NumbersOfAColumnHaveAsManyDecimals) {
    using Table = RunTableModel;
    const auto texts = [](Table::Column column, std::initializer_list<double> numbers) {
        QStringList all;
        for (const double number : numbers) all << Table::textOf(column, number, false);
        return all;
    };
    EXPECT_EQ(texts(Table::StepMs, {3.317, 50.4, 0.76}), (QStringList{"3.32", "50.40", "0.76"}));
    EXPECT_EQ(texts(Table::Skew, {0, 12}), (QStringList{"0.00", "12.00"}));
    EXPECT_EQ(texts(Table::FinalLoss, {2.3026, 0.05, 12}), (QStringList{"2.3026", "0.0500", "12.0000"}));
    EXPECT_EQ(texts(Table::FinalLoss, {6.54e-6}), QStringList{"6.54e-06"});
    EXPECT_EQ(texts(Table::Hidden, {100, 9.96}), (QStringList{"100.0 %", "10.0 %"}));
    EXPECT_EQ(Table::textOf(Table::StepMs, 3.317, true), QStringLiteral("3.32 sim"));
    EXPECT_EQ(Table::textOf(Table::StepMs, std::nullopt, true), kAbsent);
}

TEST_F(RunTableModelTest, AnInflationBelowOneIsNotMeasurable) {
    storage::RunRow row = makeRun("r1", "dasgd")->row;
    row.inflation = 0.91;
    EXPECT_FALSE(RunTableModel::numberOf(*makeRunItem(row), RunTableModel::Inflation));
    EXPECT_EQ(RunTableModel::textOf(*makeRunItem(row), RunTableModel::Inflation), kAbsent);
    row.inflation = 1.25;
    EXPECT_EQ(RunTableModel::textOf(*makeRunItem(row), RunTableModel::Inflation), QStringLiteral("1.25"));
}

TEST_F(RunTableModelTest, WhatARunIsFoundByHasAColumnToo) {
    storage::RunRow row = withNumbers()->row;
    row.gitCommit = "012bba8f00ed35763aa";
    row.error = "rank 1\ndied";
    row.skewS = 0.0047;
    row.inflation = 1.25;
    row.samples = 41'600;
    row.bytesSent = 7'400'000;
    row.timeSimulated = true;
    storage::RunNotes notes;
    notes.note = "<b>better</b>\nthan before";
    model_.take({makeRunItem(row, notes), makeRun("r2", "dasgd")}, {});
    EXPECT_EQ(cell(0, RunTableModel::Run), QStringLiteral("r1"));
    EXPECT_EQ(cell(0, RunTableModel::Commit), QStringLiteral("012bba8f00"));
    EXPECT_EQ(cell(0, RunTableModel::Error), QStringLiteral("rank 1 died"));
    EXPECT_EQ(cell(0, RunTableModel::Note), QStringLiteral("<b>better</b> than before"));
    EXPECT_TRUE(cell(0, RunTableModel::StepMs).endsWith(QStringLiteral(" sim")));
    EXPECT_EQ(RunTableModel::numberOf(*model_.items()[0], RunTableModel::StepMs), 8);
    EXPECT_NEAR(RunTableModel::numberOf(*model_.items()[0], RunTableModel::Skew).value_or(0), 4.7, 1e-9);
    EXPECT_EQ(RunTableModel::numberOf(*model_.items()[0], RunTableModel::Inflation), 1.25);
    EXPECT_EQ(cell(0, RunTableModel::Samples), grouped(41'600));
    EXPECT_EQ(cell(0, RunTableModel::Sent), bytesInWords(7.4e6).text());
    EXPECT_EQ(cell(1, RunTableModel::Skew), kAbsent);
    for (const auto column : {RunTableModel::StepMs, RunTableModel::Skew, RunTableModel::Inflation,
                              RunTableModel::Samples, RunTableModel::Sent}) {
        EXPECT_TRUE(RunTableModel::isNumeric(column)) << column;
    }
    EXPECT_FALSE(RunTableModel::isNumeric(RunTableModel::Error));
    const QString tip = model_.index(0, 0).data(Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.contains(QStringLiteral("&lt;b&gt;"))) << "what people write is no markup";
}

TEST_F(RunTableModelTest, WhatMayBeCutStandsInTheToolTip) {
    storage::RunRow row = makeRun("r1", "dasgd")->row;
    row.experiment = "a-very-long-name-of-an-experiment";
    model_.take({makeRunItem(row)}, {});
    const auto tip = [this](int column) { return model_.index(0, column).data(Qt::ToolTipRole).toString(); };
    EXPECT_TRUE(tip(RunTableModel::Experiment).contains(QString::fromStdString(row.experiment)));
    EXPECT_FALSE(tip(RunTableModel::Seed).contains(QString::fromStdString(row.experiment)));
}

TEST_F(RunTableModelTest, BlockedIsOfMeasuredTime) {
    storage::RunRow row = withNumbers()->row;
    row.status = "running";
    row.measuredS.reset();
    model_.take({makeRunItem(row)}, {});
    EXPECT_EQ(cell(0, RunTableModel::Blocked), kAbsent);
    row.measuredS = 4;
    model_.take({makeRunItem(row)}, {});
    EXPECT_EQ(cell(0, RunTableModel::Blocked), QStringLiteral("0.36"));
}

TEST_F(RunTableModelTest, TakesIncrements) {
    QSignalSpy changed(&model_, &QAbstractItemModel::dataChanged), added(&model_, &QAbstractItemModel::rowsInserted);
    model_.take({makeRun("a", "dasgd", "", 1, "running"), makeRun("b", "dasgd")}, {});
    EXPECT_EQ(added.count(), 1);
    model_.take({makeRun("a", "dasgd", "", 1, "finished"), makeRun("c", "dasgd")}, {});
    EXPECT_EQ(changed.count(), 1);
    EXPECT_EQ(model_.rowCount(), 3);
    EXPECT_EQ(cell(0, RunTableModel::Status), QStringLiteral("finished"));
    model_.take({}, {QStringLiteral("a"), QStringLiteral("unknown")});
    EXPECT_EQ(model_.rowCount(), 2);
    EXPECT_EQ(model_.rowOf(QStringLiteral("c")), 1);
    EXPECT_EQ(model_.find(QStringLiteral("a")), nullptr);
}

TEST_F(RunTableModelTest, TheNewestIsTheRunningOne) {
    EXPECT_EQ(model_.newest(), nullptr);
    model_.take({makeRun("a", "dasgd", "", 1, "running"), makeRun("b", "dasgd", "", 1, "finished"),
                 makeRun("c", "dasgd", "", 1, "queued")},
                {});
    EXPECT_EQ(model_.newest()->id, QStringLiteral("a"));
    model_.take({makeRun("a", "dasgd", "", 1, "finished")}, {});
    EXPECT_EQ(model_.newest()->id, QStringLiteral("b"));
}

TEST_F(RunTableModelTest, AProbeIsTheNewestWhereThereIsNothingElse) {
    using Among = RunTableModel::Among;
    model_.take({makeRun("p", "probe", "", 1, "running")}, {});
    EXPECT_EQ(model_.newest(Among::TrainingsFirst)->id, QStringLiteral("p"));
    model_.take({makeRun("a", "dasgd", "", 1, "queued")}, {});
    EXPECT_EQ(model_.newest(Among::TrainingsFirst)->id, QStringLiteral("a"));
    EXPECT_EQ(model_.newest()->id, QStringLiteral("p"));
}

TEST_F(RunTableModelTest, ATraceOrAnAdviceIsTheNewestWhereNothingWasTrained) {
    const auto of = [](const char* id, const char* second, const char* experiment, const char* status) {
        storage::RunRow row = startedAtSecond(makeRun(id, "dasgd", "", 1, status), second)->row;
        row.experiment = experiment;
        return row;
    };
    storage::RunRow trace = of("trace", "40", "a trace", "finished");
    trace.backend = "trace";
    ASSERT_TRUE(trace.imported());
    model_.take({makeRunItem(trace)}, {});
    model_.take({makeRunItem(of("advice", "30", "live (advice)", "finished"))}, {});
    EXPECT_EQ(model_.newest(RunTableModel::Among::TrainingsFirst)->id, QStringLiteral("trace"));
    model_.take({makeRunItem(of("waits", "20", "later", "queued"))}, {});
    EXPECT_EQ(model_.newest(RunTableModel::Among::TrainingsFirst)->id, QStringLiteral("waits"));
    model_.take({makeRunItem(of("trained", "10", "live", "finished"))}, {});
    EXPECT_EQ(model_.newest(RunTableModel::Among::TrainingsFirst)->id, QStringLiteral("trained"));
    EXPECT_EQ(model_.newest()->id, QStringLiteral("trace"));
}

TEST_F(RunTableModelTest, OfARunThatNeverStartedItIsSaid) {
    storage::RunRow row = makeRun("a", "dasgd", "", 1, "stopped")->row;
    row.steps = 0;
    row.wallS = 0;
    row.endedAt.clear();
    const auto tip = [](const storage::RunRow& of) {
        return RunTableModel::dataOf(*makeRunItem(of), RunTableModel::Status, Qt::ToolTipRole).toString();
    };
    const auto word = [](const storage::RunRow& of) {
        return RunTableModel::textOf(*makeRunItem(of), RunTableModel::Status);
    };
    EXPECT_TRUE(tip(row).contains(kTakenOut));
    EXPECT_EQ(word(row), QStringLiteral("taken out"));
    row.steps = 3;
    EXPECT_FALSE(tip(row).contains(kTakenOut));
    EXPECT_EQ(word(row), QStringLiteral("stopped"));
    row.status = "finished";
    row.backend = storage::kTraceBackend;
    row.error = "partly read: t.json: 1 event is no JSON";
    EXPECT_EQ(word(row), QStringLiteral("finished, partly read"));
    EXPECT_TRUE(tip(row).contains(QStringLiteral("1 event is no JSON")));
}

TEST_F(RunTableModelTest, EachExperimentIsNamedOnce) {
    std::vector<RunItemPtr> runs;
    for (const char* name : {"wide", "deep", "wide"}) {
        storage::RunRow row = makeRun(runNumber(static_cast<int>(runs.size())), "dasgd")->row;
        row.experiment = name;
        runs.push_back(makeRunItem(row));
    }
    RunTableModel model;
    EXPECT_TRUE(model.experiments().isEmpty());
    model.take(runs, {});
    EXPECT_EQ(model.experiments(), (QStringList{"deep", "wide"}));
}

TEST_F(RunTableModelTest, NaNIsSaidAsNaN) {
    storage::RunRow row = withNumbers()->row;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    row.lossIsNaN = true;
    row.hidden = row.bestAccuracy = row.blockedS = row.samplesPerS = nan;
    model_.take({makeRunItem(row)}, {});
    for (const auto column : {RunTableModel::FinalLoss, RunTableModel::Hidden, RunTableModel::BestAccuracy,
                              RunTableModel::Blocked, RunTableModel::SamplesPerS}) {
        EXPECT_EQ(cell(0, column), QStringLiteral("NaN")) << column;
    }
}

TEST_F(RunTableModelTest, SaysOnceThatItHasTakenAll) {
    QSignalSpy taken(&model_, &RunTableModel::taken);
    model_.take({makeRun("a", "dasgd"), makeRun("b", "dasgd")}, {});
    model_.take({makeRun("a", "dasgd"), makeRun("b", "dasgd"), makeRun("c", "dasgd")}, {QStringLiteral("b")});
    EXPECT_EQ(taken.count(), 2);
}

TEST_F(RunTableModelTest, ManyScatteredRunsLeaveAtOnce) {
    std::vector<RunItemPtr> many;
    QStringList odd;
    for (int i = 0; i < 10'000; ++i) {
        many.push_back(makeRun(runNumber(i), "dasgd"));
        if (i % 2 == 1) odd << many.back()->id;
    }
    model_.take(many, {});
    QSignalSpy removed(&model_, &QAbstractItemModel::rowsRemoved), reset(&model_, &QAbstractItemModel::modelReset);
    model_.take({}, odd);
    EXPECT_EQ(model_.rowCount(), 5'000);
    EXPECT_EQ(removed.count() + reset.count(), 1);
    EXPECT_EQ(model_.rowOf(QStringLiteral("r9998")), 4'999);
}

TEST_F(RunTableModelTest, EveryColumnHasANameAndAnExplanation) {
    for (int column = 0; column < RunTableModel::kColumns; ++column) {
        EXPECT_FALSE(model_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString().isEmpty());
        EXPECT_FALSE(model_.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
    }
}

TEST_F(RunTableModelTest, AnImportedRunSaysSoAndHasNoSeed) {
    RunItem run = *makeRun("r1", "dasgd", "");
    run.row.backend = storage::kTraceBackend;
    EXPECT_EQ(RunTableModel::textOf(run, RunTableModel::Settings), QStringLiteral("imported"));
    EXPECT_EQ(RunTableModel::textOf(run, RunTableModel::Seed), kAbsent);
}

}  // namespace
}  // namespace dasgd::gui
