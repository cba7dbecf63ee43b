#include "gui/scaling/model/scaling_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "gui/kit/words/words.h"
#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class ScalingTableModelTest : public ScalingBench {
protected:
    QString text(int row, ScalingTableModel::Column column) const {
        return model_.index(row, column).data().toString();
    }
    ScalingTableModel model_{board_};
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ScalingTableModelTest, ARowIsAPoint) {
    look();
    ASSERT_EQ(model_.rowCount(), 6);
    EXPECT_EQ(text(2, ScalingTableModel::Workers), QStringLiteral("4"));
    EXPECT_EQ(text(2, ScalingTableModel::Batch), QStringLiteral("32"));
    EXPECT_EQ(text(2, ScalingTableModel::Seeds), QStringLiteral("2"));
    EXPECT_EQ(text(2, ScalingTableModel::StepMs), QStringLiteral("14.30 ± 0.10"));
    EXPECT_EQ(text(0, ScalingTableModel::Hidden), kAbsent);
    EXPECT_EQ(model_.index(2, 0).data(ScalingTableModel::RunIdsRole).toStringList().size(), 2);
    EXPECT_TRUE(model_.index(2, 0).data(Qt::ToolTipRole).toString().contains(QLatin1String("4 workers, batch 32")));
    EXPECT_TRUE(model_.index(2, 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("± standard deviation over seeds")));
    EXPECT_EQ(model_.rowOf(1, 2), 4);
    EXPECT_EQ(model_.rowOf(1, 3), -1);
    EXPECT_EQ(model_.placeOf(4), std::pair(std::size_t{1}, std::size_t{1}));
    EXPECT_EQ(model_.placeOf(6), std::nullopt);
}

TEST_F(ScalingTableModelTest, TheTimeToTargetComesWithTheTarget) {
    look();
    EXPECT_EQ(model_.columnCount(), ScalingTableModel::kColumns - 1);
    board_.setTarget(Target{Target::Metric::Accuracy, 0.8});
    EXPECT_EQ(model_.columnCount(), ScalingTableModel::kColumns);
    EXPECT_EQ(text(0, ScalingTableModel::TimeToTarget), QStringLiteral("2.260 ± 0.020"));
    EXPECT_EQ(model_.headerData(ScalingTableModel::TimeToTarget, Qt::Horizontal, Qt::DisplayRole).toString(),
              QStringLiteral("s to target"));
}

}  // namespace
}  // namespace dasgd::gui
