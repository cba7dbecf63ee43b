// The numbers that a run ends with, as tables, bars, maps and axes show them.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/comparison.h"
#include "gui/models/compare/group_curve.h"

namespace dasgd::gui {

enum class CompareNumber {
    FinalLoss,
    BestAccuracy,
    StepMs,
    SecondsToTarget,
    Hidden,
    Blocked,
    MegabytesSent,
    SamplesPerS,
    SpeedUp,  // of configurations, over the baseline; a run by itself has none
    Skew,
    Inflation,
    Samples  // of all workers
};

// What the clocks of a run count, which on a real cluster are two: its record's, and that of its training
// (gui/models/curves/training_time.h), which the time to a target is told by.
inline const QString kWallClock = QStringLiteral("wall time: start-up and evaluations included");
inline const QString kTrainingClock = QStringLiteral("training time: start-up and evaluations left out");
inline const QString kNoTrainingClock =
    QStringLiteral("training time is known of runs that recorded it with their evaluations");
inline const QString kFallbackClock =
    QStringLiteral("wall time, as these runs did not record their training time: start-up and evaluations included");
inline const QString kTargetClock = QStringLiteral("time to target: start-up and evaluations left out");

struct NumberWords {
    CompareNumber number;
    const char* title;  // "best accuracy"
    const char* unit;   // "%"; "" of pure numbers
    const char* brief;  // with its unit, for a narrow column: "ms/step"
    bool lowIsGood;
    bool isTime;  // simulated where the run's time is
    [[nodiscard]] QString text() const;
};
[[nodiscard]] const std::vector<NumberWords>& compareNumbers();
[[nodiscard]] const NumberWords& wordsOf(CompareNumber number);

// In the number's unit. Of a run that did not finish: nullopt, as in the means.
[[nodiscard]] std::optional<double> numberOf(const RunItem& run, CompareNumber number,
                                             const std::map<std::string, double>& secondsToTarget);
[[nodiscard]] Sample sampleOf(const ComparedGroup& group, CompareNumber number);
// Mean and spread in per cent, of those of a share.
[[nodiscard]] Sample inPercent(const Sample& share);
// The same, and no value (n = 0) where the mean must not be drawn or ranked: of a time to a target that not all
// finished runs reached (ComparedGroup::allReached()).
[[nodiscard]] Sample drawnSampleOf(const ComparedGroup& group, CompareNumber number);
// How probable its difference from the baseline is between equals; nullopt where it is not known.
[[nodiscard]] std::optional<double> probabilityOf(const ComparedGroup& group, CompareNumber number);

// Half the width of the whisker; nullopt where n is 1.
[[nodiscard]] std::optional<double> spreadOf(const Sample& sample, Spread spread);
// "8.31 ± 0.02", "8.31" of one run, kAbsent of none.
// "0.124 ± 0.011": as many decimals for both as the half width takes.
[[nodiscard]] QString withSpread(double mean, double half);
[[nodiscard]] QString spreadInWords(const Sample& sample, Spread spread);
// "0.281 ± 0.021"; "0.281 (n = 1)" where there is no spread for want of a second run, "1.00" of what is divided by
// itself.
[[nodiscard]] QString ratioInWords(const Sample& ratio, Spread spread, bool ofItself);
// spreadInWords() of a number; of a time to a target that not all finished runs reached "reached by 2 of 3 finished:
// 17.9 s".
[[nodiscard]] QString numberInWords(const ComparedGroup& group, CompareNumber number, Spread spread);
[[nodiscard]] QString reachedInWords(std::size_t reached, std::size_t finished, const QString& seconds);
// "95 % interval of the mean (Student's t)".
[[nodiscard]] QString spreadName(Spread spread);

}  // namespace dasgd::gui
