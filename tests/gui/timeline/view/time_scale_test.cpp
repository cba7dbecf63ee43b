#include "gui/timeline/view/time_scale.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

TEST(TimeScale, RoundTripIsExactAcrossZooms) {
    for (const Ns start : {Ns{0}, Ns{412'000'000'000}, Ns{86'400'000'000'000}}) {
        for (const Ns width : {Ns{1'000}, Ns{600'000'000}, Ns{3'600'000'000'000}}) {
            const TimeScale scale{{start, start + width}, 96, 1234.5};
            for (int i = 0; i <= 10; ++i) {
                const Ns t = start + width * i / 10;
                EXPECT_EQ(scale.timeAt(scale.xAt(t)), t) << start << " " << width;
            }
        }
    }
}

TEST(TimeScale, EdgesOfTheWindowAreEdgesOfThePlot) {
    const TimeScale scale{{1'000, 3'000}, 10, 100};
    EXPECT_DOUBLE_EQ(scale.xAt(1'000), 10);
    EXPECT_DOUBLE_EQ(scale.xAt(3'000), 110);
    EXPECT_DOUBLE_EQ(scale.nsPerPixel(), 20);
}

TEST(TimeScale, TicksAreRoundAndFarEnoughApart) {
    const TimeScale scale{{412'013'000'000, 412'613'000'000}, 0, 1200};
    const Ns step = tickStep(scale, 100);
    EXPECT_EQ(step, 50'000'000);
    const std::vector<Ns> ticks = ticksOf(scale, 100);
    ASSERT_EQ(ticks.size(), 12U);
    EXPECT_EQ(ticks.front(), 412'050'000'000);
    for (const Ns tick : ticks) EXPECT_EQ(tick % step, 0);
}

TEST(TimeScale, TicksBeforeTheStartOfTheRunAreRoundToo) {
    const std::vector<Ns> ticks = ticksOf({{-250, 250}, 0, 500}, 100);
    EXPECT_EQ(ticks, (std::vector<Ns>{-200, -100, 0, 100, 200}));
}

TEST(TimeScale, OnWholePixelsItHoldsTheEndAndLiesOnMultiplesOfAPixel) {
    for (const Ns end : {Ns{1'234'567'891}, Ns{600'000'000}, Ns{7'000'000'123'457}, Ns{-3'000'001}}) {
        const TimeScale scale{{end - 600'000'000, end}, 96, 1499};
        const TimeScale whole = onWholePixels(scale);
        const auto pixel = static_cast<Ns>(whole.nsPerPixel());
        EXPECT_EQ(static_cast<double>(pixel), whole.nsPerPixel());
        EXPECT_EQ(whole.window.start % pixel, 0) << end;
        EXPECT_GE(whole.window.end, end);
        EXPECT_LT(whole.window.end - end, pixel);
    }
    const TimeScale narrow{{0, 100'000}, 96, 1499};
    EXPECT_EQ(onWholePixels(narrow).window.end, 100'000) << "a pixel of 67 ns is left as it is";
}

}  // namespace
}  // namespace dasgd::gui
