#include "gui/runs/run_view_keeper.h"

#include <gtest/gtest.h>

#include <QHeaderView>
#include <memory>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// The parts of the Runs page that the keeper belongs to.
struct RunsParts {
    explicit RunsParts(const std::filesystem::path& workspace) {
        QObject::connect(&filter, &QLineEdit::textChanged, &list,
                         [this](const QString& text) { list.setFilter(text); });
        new RunViewKeeper(workspace, list, filter, groups, *table);
    }
    void takeRuns() {
        runs.take({makeRun("a", "dasgd", "[algorithm]\ndelay = 3\n"), makeRun("b", "local_sgd", "label = \"x\"\n")},
                  {});
    }
    RunTableModel runs;
    RunListModel list{runs};
    QLineEdit filter;
    GroupButton groups{list};
    std::unique_ptr<RunTable> table = std::make_unique<RunTable>(list, testLook());
};

class RunViewKeeperTest : public ::testing::Test {
protected:
    QTemporaryDir folder_;  // no other test has this workspace
    const std::filesystem::path workspace_ = folder_.path().toStdString();
};

TEST_F(RunViewKeeperTest, TheNextWindowHasTheListAsItWasLeft) {
    {
        RunsParts parts(workspace_);
        EXPECT_EQ(parts.groups.grouping(), QStringLiteral("series"));
        parts.takeRuns();
        parts.filter.setText(QStringLiteral("delay >= 2"));
        parts.groups.groupBy(QStringLiteral("algorithm.delay"));
        parts.table->sortByColumn(RunTableModel::Algorithm, Qt::AscendingOrder);
    }
    RunsParts parts(workspace_);
    EXPECT_EQ(parts.filter.text(), QStringLiteral("delay >= 2"));
    EXPECT_EQ(parts.list.order().column, RunTableModel::Algorithm);
    EXPECT_EQ(parts.list.order().direction, Qt::AscendingOrder);
    EXPECT_EQ(parts.table->horizontalHeader()->sortIndicatorSection(), RunTableModel::Algorithm);
    parts.takeRuns();
    EXPECT_EQ(parts.list.grouping().name(), QStringLiteral("algorithm.delay")) << "once a run has the setting";
    EXPECT_EQ(parts.list.filterState().error, std::nullopt);
    EXPECT_EQ(parts.list.runCount(), 1);
}

TEST_F(RunViewKeeperTest, WhatIsWaitedForIsKeptAndAnotherWorkspaceIsAsAtFirst) {
    {
        RunsParts parts(workspace_);
        parts.groups.groupBy(QStringLiteral("algorithm.delay"));
        parts.filter.setText(QStringLiteral("x"));
    }
    EXPECT_EQ(keptRunView(workspace_).grouping, QStringLiteral("algorithm.delay"));
    const QTemporaryDir other;
    const RunsParts parts(other.path().toStdString());
    EXPECT_EQ(parts.filter.text(), QString());
    EXPECT_EQ(parts.groups.grouping(), QStringLiteral("series"));
}

TEST_F(RunViewKeeperTest, AChangeIsKeptSoonNotOnlyAtTheEnd) {
    RunsParts parts(workspace_);
    parts.filter.setText(QStringLiteral("dasgd"));
    EXPECT_TRUE(eventually([this] { return keptRunView(workspace_).filter == QStringLiteral("dasgd"); }));
}

}  // namespace
}  // namespace dasgd::gui
