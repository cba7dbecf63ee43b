#include "gui/compare/model/compare_numbers.h"

#include <gtest/gtest.h>

#include "gui/figures/model/figure_spec.h"
#include "gui/kit/words/words.h"
#include "tests/gui/support/bench.h"

namespace dasgd::gui {
namespace {

TEST(CompareNumbers, AreInTheirUnitsAndOfFinishedRunsOnly) {
    storage::RunRow row = makeRun("r1", "dasgd")->row;
    row.bestAccuracy = 0.97;
    row.bytesSent = 2'500'000;
    const auto run = makeRunItem(row);
    EXPECT_EQ(numberOf(*run, CompareNumber::BestAccuracy, {}), 97);
    EXPECT_EQ(numberOf(*run, CompareNumber::MegabytesSent, {}), 2.5);
    EXPECT_FALSE(numberOf(*run, CompareNumber::Hidden, {}));
    EXPECT_EQ(numberOf(*run, CompareNumber::SecondsToTarget, {{"r1", 4.5}}), 4.5);
    row.skewS = 0.0025;
    row.inflation = 1.25;
    row.samples = 3840;
    const auto more = makeRunItem(row);
    EXPECT_EQ(numberOf(*more, CompareNumber::Skew, {}), 2.5);
    EXPECT_EQ(numberOf(*more, CompareNumber::Inflation, {}), 1.25);
    EXPECT_EQ(numberOf(*more, CompareNumber::Samples, {}), 3840);
    row.status = "stopped";
    EXPECT_FALSE(numberOf(*makeRunItem(row), CompareNumber::BestAccuracy, {}));
    EXPECT_FALSE(numberOf(*makeRunItem(row), CompareNumber::Skew, {}));
}

TEST(CompareNumbers, ATimeThatNotAllReachedIsSaidAndNeitherDrawnNorRanked) {
    ComparedGroup group{.runIds = {"a", "b", "c", "d"}, .unfinished = 1};
    group.secondsToTarget = summarise({10, 18});
    group.stepMs = summarise({4, 6});
    EXPECT_EQ(drawnSampleOf(group, CompareNumber::SecondsToTarget).n, 0U);
    EXPECT_EQ(drawnSampleOf(group, CompareNumber::StepMs).n, 2U) << "a time that was not recorded flatters none";
    EXPECT_EQ(numberInWords(group, CompareNumber::SecondsToTarget, Spread::Std),
              QStringLiteral("reached by 2 of 3 finished: 14 ± 4 s"));
    group.unfinished = 2;
    EXPECT_EQ(drawnSampleOf(group, CompareNumber::SecondsToTarget).mean, 14);
    EXPECT_EQ(numberInWords(group, CompareNumber::SecondsToTarget, Spread::Std), QStringLiteral("14 ± 4"));
    group.secondsToTarget = {};
    EXPECT_EQ(numberInWords(group, CompareNumber::SecondsToTarget, Spread::Std), kAbsent);
}

TEST(CompareNumbers, ARatioSaysHowSurelyItIsKnown) {
    const Sample ratio{3, 0.281, 0.01, 0.021};
    EXPECT_EQ(ratioInWords(ratio, Spread::Interval95, false), QStringLiteral("0.281 ± 0.021"));
    EXPECT_EQ(ratioInWords(ratio, Spread::Std, false), QStringLiteral("0.281 ± 0.010"));
    EXPECT_EQ(ratioInWords(ratio, Spread::None, false), QStringLiteral("0.281"));
    EXPECT_EQ(ratioInWords({2, 0.281, 0.01, 0.021}, Spread::Std, false), QStringLiteral("0.281 (n = 2)"));
    EXPECT_EQ(ratioInWords({1, 1, {}, {}}, Spread::Interval95, true), QStringLiteral("1.00")) << "the baseline itself";
    EXPECT_EQ(ratioInWords({1, 1, {}, {}}, Spread::Interval95, false), QStringLiteral("1.00 (n = 1)")) << "equal to it";
    EXPECT_EQ(ratioInWords({}, Spread::Interval95, false), kAbsent);
}

TEST(CompareNumbers, EachHasItsWords) {
    for (const NumberWords& number : compareNumbers()) EXPECT_EQ(wordsOf(number.number).title, number.title);
    EXPECT_EQ(wordsOf(CompareNumber::StepMs).text(), QStringLiteral("time per step [ms]"));
    EXPECT_EQ(numberWords().size(), static_cast<qsizetype>(compareNumbers().size()));
    EXPECT_EQ(numberWords()[static_cast<int>(CompareNumber::Skew)], QStringLiteral("skew-ms"));
}

TEST(CompareNumbers, MeanAndHalfWidthHaveTheSameDecimals) {
    EXPECT_EQ(withSpread(0.12431, 0.0113), QStringLiteral("0.124 ± 0.011"));
    EXPECT_EQ(withSpread(0.000462, 0.00057), QStringLiteral("0.0005 ± 0.0006"));
    EXPECT_EQ(withSpread(13.09, 6.2), QStringLiteral("13 ± 6"));
    EXPECT_EQ(withSpread(2, 0), QStringLiteral("2.000 ± 0"));
}

}  // namespace
}  // namespace dasgd::gui
