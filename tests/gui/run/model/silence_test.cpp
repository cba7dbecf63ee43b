#include "gui/run/model/silence.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/units.h"

namespace dasgd::gui {
namespace {

using test::kMs;
constexpr Ns kS = 1'000 * kMs;

RankSpan spanOf(int rank, SpanKind kind, std::int64_t step, Ns end) {
    return {rank, {.kind = kind, .step = step, .start = end - kMs, .end = end}};
}

QString words(const LastHeardOfRanks& heard, Ns now, double stepS) {
    return silenceInWords(heard, now, stepS).replace(QChar(0x00a0), QLatin1Char(' '));
}

TEST(Silence, HearsTheNewestOfEachRankInWhateverOrder) {
    LastHeardOfRanks heard;
    hear(heard, std::vector{spanOf(0, SpanKind::Backward, 7, 70 * kMs), spanOf(0, SpanKind::Forward, 7, 60 * kMs),
                            spanOf(2, SpanKind::Data, 3, 30 * kMs)});
    hear(heard, std::vector{spanOf(2, SpanKind::Update, 2, 20 * kMs)});
    ASSERT_EQ(heard.size(), 2U);
    EXPECT_EQ(heard.at(0).kind, SpanKind::Backward);
    EXPECT_EQ(heard.at(2).step, 3);
}

TEST(Silence, NamesTheRankThatStoppedFirstWhereAllHaveStopped) {
    const LastHeardOfRanks heard{{0, {SpanKind::Backward, 42, 41 * kS}},
                                 {1, {SpanKind::Backward, 42, 41 * kS + 20 * kMs}},
                                 {2, {SpanKind::Forward, 41, 40'200 * kMs}}};
    EXPECT_EQ(words(heard, 45 * kS, 0.02), QString()) << "less than five seconds";
    EXPECT_EQ(words(heard, 53'020 * kMs, 0.02),
              QStringLiteral("nothing was recorded for 12 s; rank 2 fell silent first, 800.0 ms before the next, "
                             "after forward of step 41"));
    EXPECT_EQ(words(heard, 53'020 * kMs, 2), QString()) << "ten steps of two seconds are no silence";
}

TEST(Silence, RanksThatStopWithinAPartOfAStepHaveNoFirst) {
    const LastHeardOfRanks heard{{0, {SpanKind::Update, 50, 41 * kS}}, {1, {SpanKind::Update, 50, 41 * kS + kMs}}};
    EXPECT_EQ(words(heard, 51 * kS + kMs, 0.02),
              QStringLiteral("nothing was recorded for 10 s; the ranks fell silent together"));
}

TEST(Silence, NamesRanksThatAreSilentWhileOthersGoOn) {
    LastHeardOfRanks heard{{0, {SpanKind::Backward, 900, 60 * kS}}, {3, {SpanKind::Wait, 41, 40 * kS}}};
    EXPECT_EQ(words(heard, 60 * kS, 0.02), QStringLiteral("rank 3 is silent for 20 s, after wait of step 41"));
    for (int rank = 4; rank < 8; ++rank) heard[rank] = {SpanKind::Wait, 41, 41 * kS};
    EXPECT_TRUE(silenceInWords(heard, 60 * kS, 0.02).endsWith(QStringLiteral("; and 2 more ranks")));
}

TEST(Silence, NothingIsSaidBeforeAnythingWasHeard) { EXPECT_EQ(words({}, 100 * kS, 0.02), QString()); }

}  // namespace
}  // namespace dasgd::gui
