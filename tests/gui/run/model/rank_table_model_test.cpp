#include "gui/run/model/rank_table_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "gui/kit/words/words.h"

namespace dasgd::gui {
namespace {

QString cell(const RankTableModel& model, int row, int column) {
    return model.index(row, column).data(Qt::DisplayRole).toString();
}

TEST(RankTableModel, ShowsWhatWasTimedAndWhatIsNow) {
    RankTableModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    RankStates states;
    states.timed = {{.rank = 0, .stepMs = 12.5, .measuredS = 2.0, .hidden = 0.991, .blockedS = 0.5, .skewS = 0.0011}};
    states.now = {
        {.rank = 1, .seconds = 2, .hidden = 0.5, .blocked = 0.25, .skewMs = 1.5, .computeMs = 7.0, .stepsPerS = 125.0}};
    model.take(states);
    ASSERT_EQ(model.rowCount(), 2);
    EXPECT_EQ(cell(model, 0, RankTableModel::Hidden), QStringLiteral("99.1"));
    EXPECT_EQ(cell(model, 0, RankTableModel::Blocked), QStringLiteral("25.0"));
    EXPECT_EQ(cell(model, 0, RankTableModel::Skew), QStringLiteral("1.10"));
    EXPECT_EQ(cell(model, 0, RankTableModel::NowHidden), kAbsent);
    EXPECT_EQ(cell(model, 1, RankTableModel::NowHidden), QStringLiteral("50.0"));
    EXPECT_EQ(cell(model, 1, RankTableModel::NowBlocked), QStringLiteral("25.0"));
    EXPECT_EQ(cell(model, 1, RankTableModel::NowSkew), QStringLiteral("1.50"));
    EXPECT_EQ(cell(model, 1, RankTableModel::NowRate), QStringLiteral("125.0"));
    EXPECT_EQ(cell(model, 1, RankTableModel::StepMs), kAbsent);
    states.timed[0].inflation = 0.91;
    model.take(states);
    EXPECT_EQ(cell(model, 0, RankTableModel::Inflation), kAbsent) << "not measurable";
    states.timed[0].inflation = 1.3;
    model.take(states);
    EXPECT_EQ(cell(model, 0, RankTableModel::Inflation), QStringLiteral("1.30"));
    states.now.clear();
    states.straggler = Straggler{.rank = 0, .excess = 0.08};
    model.take(states);
    ASSERT_EQ(model.rowCount(), 1);
    EXPECT_EQ(cell(model, 0, RankTableModel::Rank), QStringLiteral("0  compute +8.0 %"));
    EXPECT_FALSE(model.isMarked(0)) << "a number, no verdict: that is told by lateness";
    states.timed.push_back({.rank = 1, .stepMs = 12.5});
    states.straggler.reset();
    model.take(states);
    EXPECT_EQ(cell(model, 1, RankTableModel::Late), kAbsent);
    model.setLateness(Lateness{.ranks = {{.rank = 0, .lateNs = -2e6, .noiseNs = 1e6},
                                         {.rank = 1, .lateNs = 8e6, .noiseNs = 1e6, .averages = 9}},
                               .averages = 9,
                               .noiseNs = 1e6});
    EXPECT_EQ(cell(model, 0, RankTableModel::Late), QStringLiteral("−2.0"));
    EXPECT_EQ(cell(model, 1, RankTableModel::Late), QStringLiteral("+8.0 !"));
    EXPECT_FALSE(model.isMarked(0)) << "it is early";
    EXPECT_TRUE(model.isMarked(1));
    model.take({});
    EXPECT_EQ(model.rowCount(), 0);
    for (int column = 0; column < RankTableModel::kColumns; ++column) {
        const QString title = model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
        const bool plain = column == RankTableModel::Rank || column == RankTableModel::Inflation;
        EXPECT_EQ(title.contains(u'%') || title.contains(QStringLiteral("ms")) || title.contains(QStringLiteral("/s")),
                  !plain)
            << "its unit: " << title.toStdString();
    }
}

}  // namespace
}  // namespace dasgd::gui
