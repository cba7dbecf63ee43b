#include "experiments/tools/traces/import/trace_slices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/support/temp_dir.h"

namespace dasgd::experiments {
namespace {

using ::testing::ElementsAre;
using Phase = TraceEvent::Phase;

class TraceSlicesTest : public ::testing::Test {
protected:
    void take(Phase phase, const char* name, const char* thread, Ns at, const char* process = "1") {
        slices_.take({.phase = phase, .name = name, .process = process, .thread = thread, .at = at});
    }
    void takeWhole(const char* name, Ns at, Ns length) {
        slices_.take(
            {.phase = Phase::Complete, .name = name, .process = "1", .thread = "a", .at = at, .length = length});
    }
    // "name start..end" by start.
    std::vector<std::string> lines() {
        EXPECT_TRUE(slices_.close());
        std::vector<std::string> lines;
        while (const auto slice = slices_.slices().next()) {
            lines.push_back(names_[slice->name] + " " + std::to_string(slice->start) + ".." +
                            std::to_string(slice->end));
        }
        return lines;
    }
    const test::TempDir folder_;
    TraceNames names_;
    TraceSlices slices_{names_, folder_.path()};
};

TEST_F(TraceSlicesTest, PairsEndsWithTheNewestBeginningOfTheirTrack) {
    take(Phase::Begin, "outer", "a", 10);
    take(Phase::Begin, "inner", "a", 20);
    take(Phase::Begin, "elsewhere", "b", 25);
    take(Phase::End, "", "a", 30);
    take(Phase::End, "", "a", 40);
    take(Phase::End, "", "a", 50);
    EXPECT_THAT(lines(), ElementsAre("outer 10..40", "inner 20..30"));
    EXPECT_EQ(slices_.dropped.at("ends without a beginning"), 1);
    EXPECT_EQ(slices_.dropped.at("slices without an end"), 1);
    EXPECT_EQ(slices_.extent()->first, 10);
}

TEST_F(TraceSlicesTest, PairsByInstantsWhateverTheOrderOfTheFile) {
    slices_.ties = TraceSlices::Ties::EndsFirst;
    struct Mark {
        Phase phase;
        const char *name, *thread;
        Ns at;
        const char* process;
    };
    std::vector<Mark> marks{{Phase::Begin, "fwd", "a", 0, "1"},    {Phase::Begin, "bwd", "a", 100, "1"},
                            {Phase::End, "", "a", 100, "1"},       {Phase::End, "", "a", 300, "1"},
                            {Phase::Begin, "other", "a", 50, "2"}, {Phase::End, "", "a", 250, "2"}};
    std::mt19937 random(1);
    std::ranges::shuffle(marks, random);
    for (const Mark& mark : marks) take(mark.phase, mark.name, mark.thread, mark.at, mark.process);
    EXPECT_THAT(lines(), ElementsAre("fwd 0..100", "other 50..250", "bwd 100..300"))
        << "one thread number in two processes is two threads";
    EXPECT_TRUE(slices_.dropped.empty());
}

TEST_F(TraceSlicesTest, AnEndWithANameClosesTheSliceOfThatName) {
    slices_.ties = TraceSlices::Ties::EndsFirst;
    take(Phase::Begin, "a", "a", 0);
    take(Phase::Begin, "b", "a", 5);
    take(Phase::End, "a", "a", 7);
    take(Phase::Begin, "empty", "a", 8);
    take(Phase::End, "empty", "a", 8);
    take(Phase::End, "b", "a", 9);
    EXPECT_THAT(lines(), ElementsAre("a 0..7", "b 5..9", "empty 8..8"));
}

TEST_F(TraceSlicesTest, KeepsSlicesWithoutLengthWhereTheFileIsInOrder) {
    take(Phase::Begin, "outer", "a", 0);
    take(Phase::Begin, "empty", "a", 5);
    take(Phase::End, "", "a", 5);
    take(Phase::End, "", "a", 9);
    EXPECT_THAT(lines(), ElementsAre("outer 0..9", "empty 5..5"));
}

TEST_F(TraceSlicesTest, SetsAFewSlicesAsideThatLieFarFromAllOthers) {
    constexpr Ns kNow = Ns{1'700'000} * 1'000'000'000;  // 472 h
    takeWhole("zero", 0, 5);
    for (int i = 0; i < 5; ++i) takeWhole("work", kNow + i, 1);
    ASSERT_TRUE(slices_.close());
    EXPECT_EQ(slices_.dropped.at("slices more than a day away from all others"), 1);
    EXPECT_EQ(slices_.extent()->first, kNow);
    EXPECT_TRUE(slices_.isFar(0));
    EXPECT_FALSE(slices_.isFar(kNow + 4));
}

TEST_F(TraceSlicesTest, InstantsOfOverflowsAreNoPartOfTheTrace) {
    constexpr Ns kYears = Ns{1} << 58;
    for (int i = 0; i < 20; ++i) takeWhole("work", i, 1);
    for (const Ns wrong : {kYears, -kYears / 4}) takeWhole("overflow", wrong, 1);
    ASSERT_TRUE(slices_.close());
    EXPECT_EQ(slices_.dropped.at("slices more than a day away from all others"), 2);
    EXPECT_TRUE(slices_.remarks.empty());
    EXPECT_TRUE(slices_.isFar(kYears) && slices_.isFar(-kYears / 4));
    EXPECT_EQ(slices_.extent()->last, 19);
}

// Ten of thirty events were dropped as wrong instants.
TEST_F(TraceSlicesTest, AFewRealSlicesAfterAPauseAreKept) {
    constexpr Ns kSecond = 1'000'000'000, kMinute = 60 * kSecond;
    for (int i = 0; i < 20; ++i) takeWhole("work", i * kSecond / 20, 1);
    for (int i = 0; i < 10; ++i) takeWhole("save", 12 * kMinute + i * kSecond, 1);
    takeWhole("end", 5 * 60 * kMinute, 1);
    ASSERT_TRUE(slices_.close());
    EXPECT_TRUE(slices_.dropped.empty());
    EXPECT_EQ(slices_.remarks.at("pauses of more than 10 minutes"), 2);
    EXPECT_FALSE(slices_.isFar(0) || slices_.isFar(12 * kMinute) || slices_.isFar(5 * 60 * kMinute));
}

// A trace that begins with one event at 0 and goes on 12 minutes later.
TEST_F(TraceSlicesTest, AZeroIsAnInstantLikeAnyOtherWhereTheTraceIsNear) {
    takeWhole("load", 0, 5);
    for (int i = 0; i < 30; ++i) takeWhole("work", kFarApart + 120'000'000'000 + i, 1);
    ASSERT_TRUE(slices_.close());
    EXPECT_TRUE(slices_.dropped.empty());
    EXPECT_FALSE(slices_.isFar(0));
}

TEST_F(TraceSlicesTest, PausesOfATraceAreSaidAndKept) {
    constexpr Ns kHour = Ns{3600} * 1'000'000'000;
    for (const Ns cycle : {Ns{0}, kHour}) {
        for (int i = 0; i < 50; ++i) takeWhole("work", cycle + i, 1);
    }
    ASSERT_TRUE(slices_.close());
    EXPECT_TRUE(slices_.dropped.empty());
    EXPECT_EQ(slices_.remarks.at("pauses of more than 10 minutes"), 1);
    EXPECT_FALSE(slices_.isFar(0) || slices_.isFar(kHour + 49));
}

TEST_F(TraceSlicesTest, AnEarlyStartOfALongTraceIsNotFar) {
    constexpr Ns kMinute = Ns{60} * 1'000'000'000;
    takeWhole("load", 0, 11 * kMinute);
    for (int i = 11; i < 120; ++i) takeWhole("work", i * kMinute, 1);
    ASSERT_TRUE(slices_.close());
    EXPECT_TRUE(slices_.dropped.empty());
}

TEST(TraceNamesTest, CutsLongNamesAtACharacter) {
    TraceNames names;
    std::string text(TraceNames::kLongest - 1, 'x');
    text += "\xc3\xa4 and more";
    EXPECT_EQ(names[names.numberOf(text)], std::string(TraceNames::kLongest - 1, 'x'));
    EXPECT_EQ(names.numberOf(""), 0U);
}

}  // namespace
}  // namespace dasgd::experiments
