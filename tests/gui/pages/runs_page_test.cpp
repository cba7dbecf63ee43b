#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTableView>

#include "tests/gui/support/session_bench.h"

namespace dasgd::gui {
namespace {

class RunsPageTest : public WindowBench {
protected:
    void openRuns(const QString& engine = {}) {
        open(engine);
        window_->open("Runs");
    }
    QTableView* table() { return runsTable(); }
    [[nodiscard]] int rows() { return table()->model()->rowCount(); }
};

TEST_F(RunsPageTest, AnEmptyWorkspaceSaysWhatToDo) {
    openRuns();
    EXPECT_NE(label(QStringLiteral("No runs yet")), nullptr);
    EXPECT_NE(label(QStringLiteral("dasgd run FILE.toml --workspace")), nullptr);
    EXPECT_FALSE(table()->isVisible());
}

TEST_F(RunsPageTest, RunsAppearByThemselvesNewestFirst) {
    openRuns();
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    const QString second = workspace_.record({.steps = 8});
    ASSERT_TRUE(eventually([&] { return rows() == 2 && table()->isVisible(); }));
    EXPECT_EQ(table()->model()->index(0, 0).data(RunTableModel::IdRole).toString(), second);
    EXPECT_NE(label(QStringLiteral("2 runs")), nullptr);
}

TEST_F(RunsPageTest, TheFilterNarrowsAndSaysSo) {
    workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    QLineEdit* field = nullptr;
    for (auto* one : window_->findChildren<QLineEdit*>()) {
        if (one->accessibleName() == QStringLiteral("Filter runs")) field = one;
    }
    ASSERT_NE(field, nullptr);
    QTest::keyClicks(field, QStringLiteral("sync"));
    EXPECT_EQ(rows(), 1);
    EXPECT_NE(label(QStringLiteral("1 shown")), nullptr);
    QTest::keyClicks(field, QStringLiteral(" nothing"));
    EXPECT_NE(label(QStringLiteral("No run matches the filter")), nullptr);
}

TEST_F(RunsPageTest, EnterOpensTheRunOfTheRow) {
    const QString first = workspace_.record({.algorithm = "sync_sgd", .steps = 8});
    QTest::qWait(5);
    workspace_.record({.steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    table()->setFocus();
    table()->selectRow(1);
    table()->setCurrentIndex(table()->model()->index(1, 0));
    QTest::keyClick(table(), Qt::Key_Return);
    EXPECT_EQ(window_->session().currentId(), first);
    EXPECT_FALSE(table()->isVisible());
}

TEST_F(RunsPageTest, SeveralRunsAreCompared) {
    workspace_.record({.seed = 1, .steps = 8});
    workspace_.record({.seed = 2, .steps = 8});
    openRuns();
    ASSERT_TRUE(eventually([&] { return rows() == 2; }));
    auto* compare = button<QPushButton>(QStringLiteral("Compare"));
    ASSERT_NE(compare, nullptr);
    EXPECT_FALSE(compare->isEnabled());
    table()->selectAll();
    ASSERT_TRUE(compare->isEnabled());
    QTest::mouseClick(compare, Qt::LeftButton);
    EXPECT_TRUE(window_->session().isComparing());
    EXPECT_EQ(window_->session().shown().size(), 2U);
}

TEST_F(RunsPageTest, AMessageOfTheEngineIsShownInThePage) {
    test::SyntheticRun run(workspace_.store(), {.steps = 8});
    openRuns(QStringLiteral("/no/such/dasgd"));
    ASSERT_TRUE(eventually([&] { return rows() == 1; }));
    table()->selectAll();
    auto* stop = button<QPushButton>(QStringLiteral("Stop"));
    ASSERT_NE(stop, nullptr);
    ASSERT_TRUE(stop->isEnabled());
    QTest::mouseClick(stop, Qt::LeftButton);
    ASSERT_TRUE(eventually([&] { return label(QStringLiteral("/no/such/dasgd")) != nullptr; }));
    run.finish();
}

TEST_F(RunsPageTest, ANewRunIsSetUpBeforeItIsStarted) {
    openRuns();
    QTest::mouseClick(button<QPushButton>(QStringLiteral("New run")), Qt::LeftButton);
    EXPECT_FALSE(table()->isVisible());
    EXPECT_NE(label(QStringLiteral("New experiment")), nullptr);
}

}  // namespace
}  // namespace dasgd::gui
