#include "gui/runs/run_widths.h"

#include <gtest/gtest.h>

#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

// A column, the settings, and two more.
const std::vector<ColumnNeed> kFour{{.usual = 100, .content = 60},
                                    {.usual = 80, .content = 150, .takesRest = true},
                                    {.usual = 100, .content = 90},
                                    {.usual = 50, .content = 20}};

TEST(RunWidths, AllAreAsUsualWhereThereIsRoom) {
    EXPECT_EQ(fittedWidths(kFour, 400), (std::vector<int>{100, 150, 100, 50}));
    EXPECT_EQ(fittedWidths({{.usual = 100, .content = 60}, {.usual = 200, .content = 120, .takesRest = true}}, 250),
              (std::vector<int>{100, 150}))
        << "settings take what is usual of them, as far as there is room";
}

TEST(RunWidths, TheOthersGiveTheSettingsWhatTheyDoNotNeed) {
    EXPECT_EQ(fittedWidths(kFour, 399), (std::vector<int>{60, 150, 90, 20}));
    EXPECT_EQ(fittedWidths(kFour, 320), (std::vector<int>{60, 150, 90, 20}));
}

TEST(RunWidths, WhatWouldBeCutAtTheEdgeIsTheSettings) {
    EXPECT_EQ(fittedWidths(kFour, 310), (std::vector<int>{60, 160, 90, 20}));
    EXPECT_EQ(fittedWidths(kFour, 280), (std::vector<int>{60, 220, 90, 20}));
    EXPECT_EQ(fittedWidths(kFour, 180), (std::vector<int>{60, 150, 90, 20})) << "their own edge is beyond the view";
}

TEST(RunWidths, AContentIsThatOfTheWidestCellSoFar) {
    RunTableModel runs;
    RunListModel list(runs);
    const std::vector<int> sections{RunTableModel::Settings, RunTableModel::Algorithm};
    const RunColumn settings{.field = RunTableModel::Settings}, algorithm{.field = RunTableModel::Algorithm};
    ColumnContents contents;
    EXPECT_EQ(contents.needOf(algorithm, RunTableModel::Algorithm).content, usualWidth(algorithm))
        << "nothing is known";
    const std::string few = "[algorithm]\nname = \"dasgd\"\ndelay = 3\n";
    runs.take({makeRun("a", "dasgd", few)}, {});
    EXPECT_TRUE(contents.measure(list, sections, 0, 0));
    const int narrow = contents.needOf(settings, RunTableModel::Settings).content;
    EXPECT_LT(contents.needOf(algorithm, RunTableModel::Algorithm).content, usualWidth(algorithm));
    runs.take({makeRun("b", "dasgd", few + "period = 16\nlocal_weight = 0.25\ncorrection = 1.0\nnumber = 0.0125\n")},
              {});
    EXPECT_TRUE(contents.measure(list, sections, 0, 1));
    const ColumnNeed wide = contents.needOf(settings, RunTableModel::Settings);
    EXPECT_GT(wide.content, narrow);
    EXPECT_FALSE(contents.measure(list, sections, 0, 1)) << "nothing is wider than before";
}

}  // namespace
}  // namespace dasgd::gui
