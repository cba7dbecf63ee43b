#include "gui/compare/model/compare_results.h"

#include <gtest/gtest.h>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareResultsTest = CompareBench;

// Forming the request takes longer than a picture may where there are many configurations.
TEST_F(CompareResultsTest, WhatTheComparisonHasToBeReadWithIsFormedOnceForWhatIsShown) {
    const QString two = workspace_.record({.experiment = "wide", .ranks = 2, .steps = 20});
    const QString three = workspace_.record({.experiment = "wide", .ranks = 3, .steps = 20});
    ASSERT_TRUE(eventually([&] { return session_.runs().items().size() == 11; }));
    board_.curves.want(this, loss_);
    board_.choice.setWatching(true);
    board_.choice.setRuns({two, three});
    ASSERT_EQ(board_.choice.groups().size(), 2U);
    EXPECT_EQ(board_.results.cautionsInWords(), QString()) << "nothing is read";
    // The list may have them before it knows that they have finished.
    ASSERT_TRUE(eventually(
        [&] { return board_.results.cautionsInWords().startsWith(QStringLiteral("set-ups differ: workers ")); }));
    const QString formed = board_.results.cautionsInWords();
    board_.curves.setCursor(10, loss_);
    EXPECT_EQ(board_.results.cautionsInWords().constData(), formed.constData()) << "the same text, not one like it";
    board_.choice.setHidden({1}, true);
    EXPECT_EQ(board_.results.cautionsInWords(), QString()) << "there is no other";
    board_.choice.setHidden({1}, false);
    EXPECT_EQ(board_.results.cautionsInWords(), formed);
}

TEST_F(CompareResultsTest, NoRowIsEverOfAnotherConfiguration) {
    look();
    bool isRight = true;
    int rows = 0;
    const auto check = [&] {
        for (std::size_t i = 0; i < board_.choice.groups().size(); ++i) {
            const ComparedGroup* row = board_.results.row(i);
            if (!row) continue;
            ++rows;
            isRight = isRight && row->algorithm == board_.choice.groups()[i].runs.front()->row.algorithm;
        }
    };
    QObject::connect(&board_.choice, &CompareChoice::groupsChanged, &board_.choice, check);
    QObject::connect(&board_.results, &CompareResults::comparedChanged, &board_.choice, check);
    QStringList first, second;
    for (const CompareGroup& group : board_.choice.groups()) {
        for (const RunItemPtr& run : group.runs) {
            if (run->row.algorithm == "sync_sgd") first << run->id;
            second << run->id;
        }
    }
    // The answer to the first is on its way when the second is asked.
    for (int turn = 0; turn < 20; ++turn) {
        board_.choice.setRuns(turn % 2 == 0 ? first : second);
        QTest::qWait(turn % 5);
    }
    ASSERT_TRUE(eventually([&] { return board_.results.row(2) != nullptr; }));
    EXPECT_EQ(board_.choice.groups().size(), 3U);
    EXPECT_TRUE(isRight);
    EXPECT_GT(rows, 0);
}

}  // namespace
}  // namespace dasgd::gui
