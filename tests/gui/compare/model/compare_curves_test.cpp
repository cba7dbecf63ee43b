#include "gui/compare/model/compare_curves.h"

#include <gtest/gtest.h>

#include "tests/gui/support/compare_bench.h"

namespace dasgd::gui {
namespace {

using CompareCurvesTest = CompareBench;

TEST_F(CompareCurvesTest, AStoppedSeedIsInNoMeanUntilAllAreTakenAsFarAsAllGo) {
    look();
    const std::size_t late = placeOf("d 3");
    ASSERT_LT(late, 3U);
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.most(), 2);
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.mean.x.back(), 200);
    ASSERT_EQ(board_.results.leftOutInWords().size(), 1);
    EXPECT_TRUE(board_.results.leftOutInWords()[0].contains(QStringLiteral("seed 3 was stopped at step 60")))
        << board_.results.leftOutInWords()[0].toStdString();
    board_.curves.setMembers(Members::AsFarAsAll);
    ASSERT_TRUE(eventually([&] { return board_.curves.curve(loss_, late)->mean.most() == 3; }));
    EXPECT_EQ(board_.curves.curve(loss_, late)->mean.mean.x.back(), kStoppedAt);
    EXPECT_EQ(board_.curves.curve(loss_, placeOf("d 1"))->mean.mean.x.back(), 200)
        << "the others are as long as before";
}

}  // namespace
}  // namespace dasgd::gui
