#include "gui/models/compare/compare_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareTableModelTest = CompareBench;

TEST_F(CompareTableModelTest, HasTheShownRowsAndSortsThem) {
    CompareTableModel model(board_);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    look();
    ASSERT_EQ(model.rowCount(), 3);
    model.sort(CompareTableModel::StepMs, Qt::AscendingOrder);
    double before = 0;
    for (int row = 0; row < 3; ++row) {
        const auto group = model.index(row, 0).data(CompareTableModel::GroupRole).value<std::size_t>();
        EXPECT_GE(board_.row(group)->stepMs.mean, before);
        before = board_.row(group)->stepMs.mean;
    }
    board_.setHidden({placeOf("sync")}, true);
    EXPECT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.rowOf(placeOf("sync")), -1);
    EXPECT_EQ(model.index(model.rowOf(placeOf("d 3")), CompareTableModel::Count).data().toString(),
              QStringLiteral("2 of 3"));
}

TEST_F(CompareTableModelTest, ADifferenceThatIsMoreThanScatterIsMarkedAndExplained) {
    CompareTableModel model(board_);
    look();
    const int row = model.rowOf(placeOf("d 3"));
    ASSERT_LT(board_.row(placeOf("d 3"))->stepP.value(), 0.05);
    EXPECT_TRUE(model.index(row, CompareTableModel::StepMs).data().toString().endsWith(QStringLiteral("†")));
    EXPECT_TRUE(model.footnote().contains(
        QStringLiteral("† differs from sync_sgd at 5 % (Welch, not corrected for several comparisons)")));
    const int baseline = model.rowOf(placeOf("sync"));
    EXPECT_FALSE(model.index(baseline, CompareTableModel::StepMs).data().toString().contains(QStringLiteral("†")));
}

TEST_F(CompareTableModelTest, IsCopiedAsTextAndAsNumbersInFull) {
    CompareTableModel model(board_);
    look();
    EXPECT_EQ(model.asText().count(QLatin1Char('\n')), 6) << "a head, three rows, a note, a run that is left out";
    EXPECT_TRUE(model.asText().contains(QStringLiteral("seed 3 was stopped at step 60")));
    const QStringList lines = model.asCsv().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 4);
    const auto cells = lines[0].count(QLatin1Char(','));
    for (const QString& line : lines) EXPECT_EQ(line.count(QLatin1Char(',')), cells);
    EXPECT_TRUE(lines[0].contains(QStringLiteral("time per step [ms] ci95")));
    EXPECT_TRUE(lines[0].endsWith(QStringLiteral("step ratio,baseline,target")));
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral(",\"sync_sgd\",")));
    board_.setTarget(*parseTarget("accuracy=0.6"));
    EXPECT_TRUE(model.asCsv().split(QStringLiteral("\r\n"))[1].endsWith(QStringLiteral("accuracy ≥ 0.6\"")));
}

}  // namespace
}  // namespace dasgd::gui
