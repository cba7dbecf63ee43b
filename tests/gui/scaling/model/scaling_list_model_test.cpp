#include "gui/scaling/model/scaling_list_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/scaling_bench.h"

namespace dasgd::gui {
namespace {

class ScalingListModelTest : public ScalingBench {
protected:
    QVariant at(int row, int role) const { return model_.index(row).data(role); }
    ScalingListModel model_{board_};
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(ScalingListModelTest, ConfigurationsStandBelowTheirExperiment) {
    look();
    ASSERT_EQ(model_.rowCount(), 3);
    EXPECT_TRUE(at(0, ScalingListModel::IsExperiment).toBool());
    EXPECT_EQ(at(0, Qt::DisplayRole).toString(), QStringLiteral("scaling"));
    EXPECT_FALSE(at(1, ScalingListModel::IsExperiment).toBool());
    EXPECT_TRUE(at(1, ScalingListModel::WordsRole).toString().endsWith(QStringLiteral("1–4 workers, 3 sizes")));
    EXPECT_NE(at(1, ScalingListModel::HollowRole), at(2, ScalingListModel::HollowRole));
    EXPECT_TRUE(at(1, ScalingListModel::StyleRole).isValid());
}

TEST_F(ScalingListModelTest, CheckingAnExperimentChecksAllOfIt) {
    look();
    const auto state = [this](int row) { return static_cast<Qt::CheckState>(at(row, Qt::CheckStateRole).toInt()); };
    EXPECT_EQ(state(0), Qt::Checked);
    ASSERT_TRUE(model_.setData(model_.index(1), Qt::Unchecked, Qt::CheckStateRole));
    EXPECT_EQ(state(0), Qt::PartiallyChecked);
    EXPECT_EQ(state(1), Qt::Unchecked);
    EXPECT_FALSE(at(1, ScalingListModel::DrawnRole).toBool());
    EXPECT_EQ(board_.drawn().size(), 1U);
    ASSERT_TRUE(model_.setData(model_.index(0), Qt::Unchecked, Qt::CheckStateRole));
    EXPECT_TRUE(board_.drawn().empty());
    ASSERT_TRUE(model_.setData(model_.index(0), Qt::Checked, Qt::CheckStateRole));
    EXPECT_EQ(board_.drawn().size(), 2U);
    EXPECT_FALSE(model_.setData(model_.index(0), QStringLiteral("x"), Qt::DisplayRole));
}

TEST_F(ScalingListModelTest, TheFilterLooksIntoWhatALineIs) {
    test::recordScaling(workspace_.store(), {.experiment = "other", .algorithm = "easgd", .workers = 3});
    look();
    ASSERT_TRUE(eventually([&] { return model_.rowCount() == 5; }));
    model_.setFilter(QStringLiteral("EASGD"));
    EXPECT_EQ(model_.rowCount(), 2);
    EXPECT_EQ(at(0, Qt::DisplayRole).toString(), QStringLiteral("other"));
    model_.setFilter(QStringLiteral("measured"));
    EXPECT_EQ(model_.rowCount(), 2);
    model_.setFilter(QStringLiteral("measured easgd"));
    EXPECT_EQ(model_.rowCount(), 0);
    model_.setFilter({});
    EXPECT_EQ(model_.rowCount(), 5);
}

}  // namespace
}  // namespace dasgd::gui
