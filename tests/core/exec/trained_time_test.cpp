#include "core/exec/trained_time.h"

#include <gtest/gtest.h>

namespace dasgd {
namespace {

// Training from 100 to 400, then a pause to 900 after step 10.
TrainedTime paused() {
    TrainedTime trained;
    trained.pause(0, 20);
    trained.resume(100);
    trained.pause(10, 400);
    trained.resume(900);
    return trained;
}

TEST(TrainedTime, BeginsWithTheEndOfTheFirstPauseAndLeavesOutTheOthers) {
    TrainedTime trained;
    EXPECT_EQ(trained.until(50), 0);
    trained.pause(0, 60);
    EXPECT_EQ(trained.until(60), 0);
    trained.resume(100);
    EXPECT_EQ(trained.until(100), 0);
    EXPECT_EQ(trained.until(400), 300);
    EXPECT_FALSE(trained.wasPausedSince(0)) << "nothing was in flight before training";
    EXPECT_EQ(paused().until(900), 300);
    EXPECT_EQ(paused().until(950), 350);
}

TEST(TrainedTime, WhatWasLaunchedAfterThePauseOwesItNothing) {
    EXPECT_TRUE(paused().wasPausedSince(10));
    EXPECT_FALSE(paused().wasPausedSince(11));
}

// The operation needed 200 more from the pause on; the rank computed for 50 of them.
TEST(TrainedTime, AWaitThatThePauseShortenedIsCountedInFull) {
    TrainedTime trained = paused();
    trained.awaited(10, 600, 950);
    EXPECT_EQ(trained.until(950), 350 + 150);
}

TEST(TrainedTime, AWaitThatOutlastedThePauseIsLongerByThePause) {
    TrainedTime trained = paused();
    trained.awaited(10, 920, 950);
    EXPECT_EQ(trained.until(950), 350 + 470);
}

TEST(TrainedTime, WhatHadArrivedAnywayCostsNothing) {
    TrainedTime trained = paused();
    trained.awaited(10, 380, 950);
    EXPECT_EQ(trained.until(950), 350) << "before the pause";
    trained.awaited(10, 600, 1150);
    EXPECT_EQ(trained.until(1150), 550) << "computing went on for longer than it needed";
}

// With two operations in flight, the second is owed only what the wait for the first has not paid.
TEST(TrainedTime, NothingIsCountedTwice) {
    TrainedTime trained = paused();
    trained.awaited(9, 600, 950);
    trained.awaited(10, 700, 960);
    EXPECT_EQ(trained.until(960), 360 + 150 + 90);
}

TEST(TrainedTime, AnOperationMayOutlastSeveralPauses) {
    TrainedTime trained = paused();
    trained.pause(12, 1000);
    trained.resume(1200);
    trained.awaited(10, 1100, 1210);
    // The operation needed 700 from the first pause on, which is what the rank now has trained since then.
    EXPECT_EQ(trained.until(1210), 300 + 700);
    trained.awaited(11, 1190, 1230);
    EXPECT_EQ(trained.until(1230), 300 + 720) << "the longer wait is time for what was launched meanwhile too";
}

}  // namespace
}  // namespace dasgd
