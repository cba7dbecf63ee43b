#include "gui/runs/model/run_view.h"

#include <gtest/gtest.h>

#include <QTest>
#include <string>

#include "gui/kit/words/settings_file.h"

namespace dasgd::gui {
namespace {

class RunViewTest : public ::testing::Test {
protected:
    RunViewTest() { forget(); }
    ~RunViewTest() override { forget(); }
    static void forget() { settingsFile().remove(QStringLiteral("run-lists")); }

    const RunView left_{.filter = QStringLiteral(" delay >= 3 and note = \"a, b; 50 %\""),
                        .grouping = QStringLiteral("algorithm.delay"),
                        .column = {.key = QStringLiteral("train.batch_size")},
                        .direction = Qt::AscendingOrder};
};

TEST_F(RunViewTest, EachWorkspaceHasItsOwn) {
    EXPECT_EQ(keptRunView("/of/one"), RunView());
    keepRunView("/of/one", left_);
    EXPECT_EQ(keptRunView("/of/one"), left_);
    EXPECT_EQ(keptRunView("/of/one/../one"), left_) << "the same folder";
    EXPECT_EQ(keptRunView("/of/another"), RunView());
}

TEST_F(RunViewTest, EveryColumnAndNoGroupsComeBack) {
    for (int field = 0; field < RunTableModel::kColumns; ++field) {
        const RunView view{.grouping = {}, .column = {.field = field}};
        keepRunView("/of/one", view);
        EXPECT_EQ(keptRunView("/of/one"), view) << field;
    }
}

TEST_F(RunViewTest, AColumnThatIsNotKnownAnyMoreIsTheFirstOrder) {
    keepRunView("/of/one", left_);
    QSettings file = settingsFile();
    file.beginGroup(QStringLiteral("run-lists"));
    const QStringList groups = file.childGroups();
    ASSERT_EQ(groups.size(), 1);
    file.setValue(groups[0] + QStringLiteral("/order"), QStringLiteral("gone"));
    const RunView view = keptRunView("/of/one");
    EXPECT_EQ(view.filter, left_.filter);
    EXPECT_EQ(view.column, RunView().column);
    EXPECT_EQ(view.direction, RunView().direction);
}

TEST_F(RunViewTest, TheOneLeftTheLongestAgoIsForgotten) {
    keepRunView("/of/one", left_);
    QTest::qSleep(5);
    for (int other = 1; other < kMostRunViews; ++other) keepRunView("/of/" + std::to_string(other), left_);
    EXPECT_EQ(keptRunView("/of/one"), left_);
    keepRunView("/of/more", left_);
    EXPECT_EQ(keptRunView("/of/one"), RunView());
    EXPECT_EQ(keptRunView("/of/more"), left_);
}

}  // namespace
}  // namespace dasgd::gui
