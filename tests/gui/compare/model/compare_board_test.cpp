#include "gui/compare/model/compare_board.h"

#include <gtest/gtest.h>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareBoardTest = CompareBench;

TEST_F(CompareBoardTest, TheBaselineCanBeChosen) {
    look();
    EXPECT_EQ(board_.results.baseline(), placeOf("sync"));
    board_.choice.setBaseline(placeOf("d 1"));
    ASSERT_TRUE(eventually([&] { return board_.results.baseline() == placeOf("d 1"); }));
    EXPECT_EQ(board_.results.row(placeOf("d 1"))->stepRatio.mean, 1);
}

TEST_F(CompareBoardTest, WhatWasChosenStaysWhereRunsAreAdded) {
    look();
    const std::string chosen = board_.choice.groups()[placeOf("d 1")].key;
    board_.choice.setBaseline(placeOf("d 1"));
    board_.choice.highlight(placeOf("d 1"));
    ASSERT_TRUE(eventually([&] { return board_.results.baseline() == placeOf("d 1"); }));
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 200, .stepsPerEpoch = 50});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4; }));
    EXPECT_TRUE(board_.results.row(placeOf("d 1"))) << "the rows before stand until the next are formed";
    ASSERT_TRUE(board_.choice.highlighted());
    EXPECT_EQ(board_.choice.groups()[*board_.choice.highlighted()].key, chosen);
    ASSERT_TRUE(eventually([&] { return board_.results.row(3) != nullptr; }));
    ASSERT_TRUE(board_.results.baseline());
    EXPECT_EQ(board_.choice.groups()[*board_.results.baseline()].key, chosen);
}

TEST_F(CompareBoardTest, RunsOfTheExperimentThatComeLaterAreTaken) {
    look();
    workspace_.record({.algorithm = "local_sgd", .ranks = 2, .steps = 20});
    ASSERT_TRUE(eventually([&] { return board_.choice.groups().size() == 4; }));
    ASSERT_TRUE(eventually([&] { return board_.curves.curve(loss_, 3) != nullptr; }));
}

}  // namespace
}  // namespace dasgd::gui
