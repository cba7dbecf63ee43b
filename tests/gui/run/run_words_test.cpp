#include "gui/run/run_words.h"

#include <gtest/gtest.h>

namespace dasgd::gui {
namespace {

RankStates stateOf(const RankNow& rank) { return {.now = {rank}, .seconds = 64}; }

TEST(RunWords, OfThroughputTheTimedOneElseTheNewestWithItsSeconds) {
    RankStates states = stateOf({.stepsPerS = 3, .trains = true});
    states.samplesPerS = 96;
    states.rateSeconds = 1.5;
    EXPECT_EQ(speedInWords(50, states).text(), Quantity({QStringLiteral("50"), {}}).text());
    EXPECT_EQ(speedInWords({}, states).unit, QStringLiteral("now, 1.5 s"));
    EXPECT_EQ(speedInWords({}, {}).unit, QString());
}

// No round is the first one at step 50 000.
TEST(RunWords, ThroughputThatIsMissingSaysWhy) {
    const auto words = [](const RankNow& rank) {
        const Quantity speed = speedInWords({}, stateOf(rank));
        EXPECT_EQ(speed.number, kAbsent);
        return speed.unit;
    };
    EXPECT_EQ(words({.trains = true, .isPart = true}), QStringLiteral("first round"));
    EXPECT_EQ(words({.trains = true, .isPart = true, .pause = SpanKind::Eval}), QStringLiteral("after an evaluation"));
    EXPECT_EQ(words({.trains = true, .isPart = true, .pause = SpanKind::Checkpoint}),
              QStringLiteral("after a checkpoint"));
    EXPECT_EQ(words({.trains = true}), QStringLiteral("no round in 64 s"));
    EXPECT_EQ(words({.isPart = true}), QString()) << "it trains nothing";
    RankStates alone = stateOf({.trains = true});
    alone.hasRounds = false;
    EXPECT_EQ(speedInWords({}, alone).unit, QStringLiteral("no two steps in 64 s"));
}

}  // namespace
}  // namespace dasgd::gui
