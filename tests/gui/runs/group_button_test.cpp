#include "gui/runs/group_button.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(GroupButton, ItsMenuGroupsTheList) {
    RunTableModel runs;
    RunListModel list(runs);
    runs.take({makeRun("a", "dasgd", "[algorithm]\ndelay = 2\n"), makeRun("b", "dasgd", "[algorithm]\ndelay = 3\n")},
              {});
    GroupButton button(list);
    EXPECT_EQ(button.text(), QStringLiteral("by series ▾"));
    QSignalSpy grouped(&button, &GroupButton::grouped);
    emit button.menu()->aboutToShow();
    QAction* algorithm = nullptr;
    QAction* none = nullptr;
    for (QAction* action : button.menu()->actions()) {
        if (action->text() == QStringLiteral("algorithm")) algorithm = action;
        if (action->text() == QStringLiteral("no groups")) none = action;
    }
    ASSERT_TRUE(algorithm && none);
    algorithm->trigger();
    EXPECT_EQ(list.rowCount(), 1) << "one group, closed";
    none->trigger();
    EXPECT_EQ(list.rowCount(), 2);
    EXPECT_EQ(grouped.count(), 2);
    EXPECT_EQ(button.text(), QStringLiteral("no groups ▾"));
}

TEST(GroupButton, ASettingIsWaitedForUntilAnotherGroupingIsChosen) {
    RunTableModel runs;
    RunListModel list(runs);
    GroupButton button(list), other(list);
    button.groupBy(QStringLiteral("algorithm.delay"));
    EXPECT_EQ(button.grouping(), QStringLiteral("algorithm.delay"));
    EXPECT_EQ(button.text(), QStringLiteral("by series ▾")) << "no run has it";
    other.groupBy(QStringLiteral("algorithm.delay"));
    other.groupBy(QStringLiteral("status"));
    runs.take({makeRun("a", "dasgd", "[algorithm]\ndelay = 2\n")}, {});
    EXPECT_EQ(button.text(), QStringLiteral("by algorithm.delay ▾"));
    EXPECT_EQ(other.text(), QStringLiteral("by status ▾"));
    button.groupBy({});
    EXPECT_FALSE(list.grouping());
    EXPECT_EQ(button.grouping(), QString());
}

TEST(GroupButton, ShowsWhatIsLeftOut) {
    RunTableModel runs;
    RunListModel list(runs);
    storage::RunRow goesOn = makeRun("c", "dasgd")->row;
    goesOn.resumedFrom = "b";
    goesOn.resumedStep = 3;
    goesOn.steps = 5;
    runs.take({makeRunItem(makeRun("a", "dasgd")->row, {.archived = true}), makeRun("b", "dasgd"), makeRunItem(goesOn)},
              {});
    GroupButton button(list);
    ASSERT_EQ(list.rowCount(), 1);
    EXPECT_EQ(list.leftOutInWords(), QStringLiteral("1 archived, 1 earlier part"));
    emit button.menu()->aboutToShow();
    const auto actions = button.menu()->actions();
    actions.back()->trigger();
    EXPECT_EQ(list.leftOutInWords(), QStringLiteral("1 archived"));
    actions[actions.size() - 2]->trigger();
    EXPECT_EQ(list.rowCount(), 3);
    EXPECT_EQ(list.leftOutInWords(), QString());
}

}  // namespace
}  // namespace dasgd::gui
