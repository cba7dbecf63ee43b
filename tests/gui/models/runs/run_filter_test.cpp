#include "gui/models/runs/run_filter.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

RunItemPtr withLoss(const std::string& id, double loss, const std::string& algorithm) {
    storage::RunRow row = makeRun(id, algorithm)->row;
    row.finalLoss = loss;
    row.hidden = 0.99;
    return makeRunItem(row);
}

class RunFilterTest : public ::testing::Test {
protected:
    RunFilterTest() {
        runs_.take(
            {withLoss("a", 0.5, "dasgd"), withLoss("b", 0.05, "sync_sgd"), makeRun("c", "local_sgd", "", 3, "failed")},
            {});
    }
    QStringList shown(const char* filter) {
        filter_.setFilter(QString::fromUtf8(filter));
        QStringList ids;
        for (int row = 0; row < filter_.rowCount(); ++row) ids << idAt(row);
        ids.sort();
        return ids;
    }
    [[nodiscard]] QString idAt(int row) const { return filter_.index(row, 0).data(RunTableModel::IdRole).toString(); }
    RunTableModel runs_;
    RunFilter filter_{&runs_};
    QAbstractItemModelTester tester_{&filter_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(RunFilterTest, WordsHitAnyPartAndAllMustHit) {
    EXPECT_EQ(shown(""), (QStringList{"a", "b", "c"}));
    EXPECT_EQ(shown("SGD"), (QStringList{"a", "b", "c"}));
    EXPECT_EQ(shown("sgd sync"), (QStringList{"b"}));
    EXPECT_EQ(shown("-failed"), (QStringList{"a", "b"}));
    EXPECT_EQ(shown("nothing"), QStringList{});
}

TEST_F(RunFilterTest, ComparisonsUseTheTablesUnits) {
    EXPECT_EQ(shown("loss<0.1"), (QStringList{"b"}));
    EXPECT_EQ(shown("loss>=0.5"), (QStringList{"a"}));
    EXPECT_EQ(shown("hidden>98 loss>0.1"), (QStringList{"a"}));
    EXPECT_EQ(shown("hidden>98%"), (QStringList{"a", "b"}));
    EXPECT_EQ(shown("status=failed"), (QStringList{"c"}));
    EXPECT_EQ(shown("seed=3"), (QStringList{"c"}));
    EXPECT_EQ(shown("algorithm=sgd"), QStringList{}) << "equal, not contained";
}

TEST_F(RunFilterTest, WhatIsNoComparisonIsAWord) {
    EXPECT_EQ(shown("colour>3"), QStringList{});
    EXPECT_EQ(shown("-"), QStringList{}) << "a lone minus is a word that no run has";
    EXPECT_EQ(shown("loss<many"), QStringList{});
}

TEST_F(RunFilterTest, TenThousandRunsAnswerAKeyInTime) {
    std::vector<RunItemPtr> many;
    for (int i = 0; i < 10'000; ++i) many.push_back(withLoss("run-" + std::to_string(i), i, "dasgd"));
    runs_.take(many, {});
    filter_.sort(RunTableModel::FinalLoss, Qt::DescendingOrder);
    EXPECT_EQ(filter_.rowCount(), 10'003);
    EXPECT_EQ(idAt(0), QStringLiteral("run-9999"));
    EXPECT_EQ(shown("run-99 loss>=9900").size(), 100);
}

}  // namespace
}  // namespace dasgd::gui
