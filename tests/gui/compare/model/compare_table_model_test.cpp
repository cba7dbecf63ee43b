#include "gui/compare/model/compare_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QRegularExpression>

#include "gui/kit/words/words.h"
#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareTableModelTest = CompareBench;

// Commas between quotes are of a cell.
QStringList csvCellsOf(const QString& line) {
    static const QRegularExpression kComma(QStringLiteral(",(?=(?:[^\"]*\"[^\"]*\")*[^\"]*$)"));
    return line.split(kComma);
}

TEST_F(CompareTableModelTest, HasTheShownRowsAndSortsThem) {
    CompareTableModel model(board_);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    look();
    ASSERT_EQ(model.rowCount(), 3);
    model.sort(CompareTableModel::StepMs, Qt::AscendingOrder);
    double before = 0;
    for (int row = 0; row < 3; ++row) {
        const auto group = model.index(row, 0).data(CompareTableModel::GroupRole).value<std::size_t>();
        EXPECT_GE(board_.results.row(group)->stepMs.mean, before);
        before = board_.results.row(group)->stepMs.mean;
    }
    board_.choice.setHidden({placeOf("sync")}, true);
    EXPECT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.rowOf(placeOf("sync")), -1);
    EXPECT_EQ(model.index(model.rowOf(placeOf("d 3")), CompareTableModel::Count).data().toString(),
              QStringLiteral("2 of 3"));
}

TEST_F(CompareTableModelTest, ADifferenceThatIsMoreThanScatterIsMarkedAndExplained) {
    CompareTableModel model(board_);
    look();
    const int row = model.rowOf(placeOf("d 3"));
    ASSERT_LT(board_.results.row(placeOf("d 3"))->stepP.value(), 0.05);
    EXPECT_TRUE(model.index(row, CompareTableModel::StepMs).data().toString().endsWith(QStringLiteral("†")));
    EXPECT_TRUE(model.footnote().contains(
        QStringLiteral("† differs from sync_sgd at 5 % (t test, paired over equal seeds, with Holm's correction)")));
    const int baseline = model.rowOf(placeOf("sync"));
    EXPECT_FALSE(model.index(baseline, CompareTableModel::StepMs).data().toString().contains(QStringLiteral("†")));
}

TEST_F(CompareTableModelTest, ARatioSaysWhatIsDividedByWhatAndHasItsInterval) {
    CompareTableModel model(board_);
    look();
    EXPECT_EQ(model.headerData(CompareTableModel::Ratio, Qt::Horizontal, Qt::DisplayRole).toString(),
              QStringLiteral("ms/step ÷ baseline's"));
    EXPECT_TRUE(model.headerData(CompareTableModel::Ratio, Qt::Horizontal, Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("sync_sgd")));
    EXPECT_TRUE(model.footnote().contains(QStringLiteral("baseline: sync_sgd"))) << model.footnote().toStdString();
    const QString cell = model.index(model.rowOf(placeOf("d 3")), CompareTableModel::Ratio).data().toString();
    EXPECT_TRUE(cell.endsWith(QStringLiteral(" (n = 2)"))) << cell.toStdString();
}

// A table of single runs has no mean and no spread to explain.
TEST_F(CompareTableModelTest, TheFootSaysOnlyWhatTheTableHas) {
    CompareTableModel model(board_);
    look();
    EXPECT_TRUE(model.footnote().contains(QStringLiteral("over seeds")));
    EXPECT_FALSE(model.footnote().contains(QStringLiteral("n = 1")));
    QStringList single;
    for (const CompareGroup& group : board_.choice.groups()) single << group.runs.front()->id;
    board_.choice.setRuns(single);
    ASSERT_TRUE(eventually([&] { return board_.results.row(2) && board_.results.row(2)->runIds.size() == 1; }));
    EXPECT_FALSE(model.footnote().contains(QStringLiteral("over seeds"))) << model.footnote().toStdString();
    EXPECT_TRUE(model.footnote().contains(QStringLiteral("each of one run, n = 1")));
}

TEST_F(CompareTableModelTest, TheFinalLossSaysOfWhichDataItIs) {
    const CompareTableModel model(board_);
    const QString tip = model.headerData(CompareTableModel::FinalLoss, Qt::Horizontal, Qt::ToolTipRole).toString();
    EXPECT_TRUE(tip.contains(QStringLiteral("test loss"))) << tip.toStdString();
    EXPECT_TRUE(tip.contains(QStringLiteral("training loss"))) << tip.toStdString();
}

TEST_F(CompareTableModelTest, TheAccuracyIsCalledTheBestAndItsChoiceOptimistic) {
    CompareTableModel model(board_);
    look();
    EXPECT_EQ(model.headerData(CompareTableModel::BestAccuracy, Qt::Horizontal, Qt::DisplayRole).toString(),
              QStringLiteral("best accuracy, %"));
    EXPECT_TRUE(model.footnote().contains(
        QStringLiteral("best: of all evaluations, chosen on the test set itself, which is optimistic")))
        << model.footnote().toStdString();
}

TEST_F(CompareTableModelTest, IsCopiedAsTextAndAsNumbersInFull) {
    CompareTableModel model(board_);
    look();
    EXPECT_EQ(model.asText().count(QLatin1Char('\n')), 6) << "a head, three rows, a note, a run that is left out";
    EXPECT_TRUE(model.asText().contains(QStringLiteral("seed 3 was stopped at step 60")));
    const QStringList lines = model.asCsv().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    ASSERT_EQ(lines.size(), 4);
    for (const QString& line : lines) EXPECT_EQ(csvCellsOf(line).size(), csvCellsOf(lines[0]).size());
    EXPECT_TRUE(lines[0].contains(QStringLiteral("time per step [ms] ci95")));
    EXPECT_TRUE(lines[0].endsWith(QStringLiteral("disturbed,partly read,set-ups,baseline,target")));
    EXPECT_TRUE(lines[0].contains(QStringLiteral("\"step ratio ci95\"")));
    EXPECT_TRUE(lines[1].contains(QStringLiteral(",0,\"2 workers, batch 32 a worker, "))) << lines[1].toStdString();
    EXPECT_TRUE(lines[1].endsWith(QStringLiteral(",\"sync_sgd\",")));
    board_.results.setTarget(*parseTarget("accuracy=0.6"));
    EXPECT_TRUE(model.asCsv().split(QStringLiteral("\r\n"))[1].endsWith(QStringLiteral("accuracy ≥ 0.6\"")));
}

// An accuracy of 1 − 0.5 ÷ (1 + step ÷ 60), evaluated every 50 steps: 0.6 is reached at the first of them.
TEST_F(CompareTableModelTest, SaysWhatItTookToReachTheTarget) {
    CompareTableModel model(board_);
    look();
    board_.results.setTarget(*parseTarget("accuracy=0.6"));
    ASSERT_TRUE(eventually([&] { return board_.results.isTargetRead() && board_.results.row(placeOf("sync")); }));
    const int row = model.rowOf(placeOf("sync"));
    const auto tip = [&](int column) { return model.index(row, column).data(Qt::ToolTipRole).toString(); };
    EXPECT_TRUE(tip(CompareTableModel::ToTarget)
                    .contains(QStringLiteral("reached after 50 steps, %1 samples, ").arg(grouped(50 * 32 * 2))))
        << tip(CompareTableModel::ToTarget).toStdString();
    EXPECT_FALSE(tip(CompareTableModel::StepMs).contains(QStringLiteral("reached after")));
}

// Two seeds each of a baseline, of DaSGD trained half as long and of computing alone.
QStringList recordUnequal(Workspace& workspace) {
    QStringList ids;
    for (const int seed : {1, 2}) {
        for (const char* algorithm : {"sync_sgd", "dasgd", "independent"}) {
            ids << workspace.record({.experiment = "unequal",
                                     .algorithm = algorithm,
                                     .seed = seed,
                                     .ranks = 2,
                                     .steps = std::string(algorithm) == "dasgd" ? 100 : 200,
                                     .stepsPerEpoch = 50,
                                     .testLoss = true});
        }
    }
    return ids;
}

TEST_F(CompareTableModelTest, ColumnsThatNoRunHasAreLeftOut) {
    CompareTableModel model(board_);
    look();
    EXPECT_TRUE(model.isLacking(CompareTableModel::Perplexity)) << "no texts";
    EXPECT_FALSE(model.isLacking(CompareTableModel::BestAccuracy));
    EXPECT_FALSE(model.isLacking(CompareTableModel::Hidden));
    EXPECT_FALSE(model.asText().contains(QStringLiteral("perplexity")));
    for (const int column : {CompareTableModel::Skew, CompareTableModel::Inflation}) {
        const auto recorded = [&](std::size_t group) {
            const ComparedGroup& row = *board_.results.row(group);
            return (column == CompareTableModel::Skew ? row.skewMs : row.inflation).n > 0;
        };
        EXPECT_EQ(model.isLacking(column), !recorded(0) && !recorded(1) && !recorded(2)) << column;
    }
    EXPECT_TRUE(model.asCsv().contains(QStringLiteral("\"best perplexity mean\""))) << "what is for programs is whole";
    EXPECT_TRUE(model.isLacking(CompareTableModel::ComputeRatio)) << "no run of independent";
    EXPECT_TRUE(model.isLacking(CompareTableModel::ToTarget)) << "there is none";
    board_.results.setTarget(*parseTarget("accuracy=0.9999"));
    EXPECT_FALSE(model.isLacking(CompareTableModel::ToTarget)) << "that nothing reached it is said";
}

TEST_F(CompareTableModelTest, WhereSamplesDifferResultsAtTheSameNumberStandBesideTheFinalOnes) {
    CompareTableModel model(board_);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    look();
    EXPECT_EQ(model.columnCount(), CompareTableModel::EqualLoss) << "all finished runs had as many samples";
    const QStringList ids = recordUnequal(workspace_);
    ASSERT_TRUE(eventually([&] {
        const auto& runs = session_.runs().items();
        return runs.size() == 15 &&
               std::none_of(runs.begin(), runs.end(), [](const RunItemPtr& run) { return isLive(run->row); });
    }));
    board_.choice.setRuns(ids);
    ASSERT_TRUE(
        eventually([&] { return model.columnCount() == CompareTableModel::kColumns && model.rowCount() == 3; }));
    const auto cell = [&](const char* name, int column) {
        return model.index(model.rowOf(placeOf(name)), column).data().toString();
    };
    const auto head = [&](int column) { return model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString(); };
    EXPECT_EQ(cell("sync", CompareTableModel::Samples), grouped(200 * 32 * 2));
    EXPECT_EQ(cell("dasgd", CompareTableModel::Samples), grouped(100 * 32 * 2));
    EXPECT_TRUE(head(CompareTableModel::EqualLoss).endsWith(grouped(100 * 32 * 2)));
    // Every run's evaluation after step 100: an accuracy of 1 − 0.5 ÷ (1 + 100 ÷ 60), and the rest to 1 as its loss.
    for (const char* name : {"sync", "dasgd", "independent"}) {
        EXPECT_EQ(cell(name, CompareTableModel::EqualLoss), QStringLiteral("0.1875 ± 0")) << name;
        EXPECT_EQ(cell(name, CompareTableModel::EqualAccuracy), QStringLiteral("81.25 ± 0")) << name;
    }
    EXPECT_TRUE(model.footnote().contains(QStringLiteral("those at %1 samples are").arg(grouped(100 * 32 * 2))));
    const Sample ratio =
        ratioOf(board_.results.row(placeOf("sync"))->stepMs, board_.results.row(placeOf("independent"))->stepMs);
    EXPECT_EQ(cell("sync", CompareTableModel::ComputeRatio), ratioInWords(ratio, board_.curves.spread(), false));
    EXPECT_TRUE(model.asText().contains(QStringLiteral("0.1875 ± 0\t81.25 ± 0")));
    const QStringList lines = model.asCsv().split(QStringLiteral("\r\n"), Qt::SkipEmptyParts);
    const QStringList heads = csvCellsOf(lines[0]);
    const auto at = heads.indexOf(QStringLiteral("\"loss at 6400 samples mean\""));
    ASSERT_GE(at, 0) << lines[0].toStdString();
    for (const QString& line : lines.mid(1)) {
        const QStringList cells = csvCellsOf(line);
        ASSERT_EQ(cells.size(), heads.size());
        EXPECT_EQ(cells[at], QStringLiteral("0.1875"));
    }
}

}  // namespace
}  // namespace dasgd::gui
