// The results of a run or a configuration, as tables, bars, maps and axes show them.
#pragma once

#include <QString>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/runs/comparison.h"
#include "gui/compare/model/group_curve.h"

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
    SpeedUp,  // of a configuration over the baseline; a single run has none
    Skew,
    Inflation,
    Samples  // over all workers
};

// The two clocks of a run on a real cluster: wall time, and training time (gui/data/curves/training_time.h), in which
// the time to a target is given.
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
    bool isTime;  // counts as simulated if the run's time is
    [[nodiscard]] QString text() const;
};
[[nodiscard]] const std::vector<NumberWords>& compareNumbers();
[[nodiscard]] const NumberWords& wordsOf(CompareNumber number);

// The result in its unit; nullopt for a run that did not finish, as in the means.
[[nodiscard]] std::optional<double> numberOf(const RunItem& run, CompareNumber number,
                                             const std::map<std::string, double>& secondsToTarget);
[[nodiscard]] Sample sampleOf(const ComparedGroup& group, CompareNumber number);
// Mean and spread in per cent, given as fractions.
[[nodiscard]] Sample inPercent(const Sample& share);
// sampleOf(), but without a value (n = 0) where the mean must not be drawn or ranked: a time to a target that not all
// finished runs reached (ComparedGroup::allReached()).
[[nodiscard]] Sample drawnSampleOf(const ComparedGroup& group, CompareNumber number);
// p-value of the difference from the baseline; nullopt where it is not known.
[[nodiscard]] std::optional<double> probabilityOf(const ComparedGroup& group, CompareNumber number);

// Half the length of the whisker; nullopt where n is 1.
[[nodiscard]] std::optional<double> spreadOf(const Sample& sample, Spread spread);
// "0.124 ± 0.011": mean and half width with the same number of decimals.
[[nodiscard]] QString withSpread(double mean, double half);
[[nodiscard]] QString spreadInWords(const Sample& sample, Spread spread);
// "0.281 ± 0.021"; "0.281 (n = 1)" without a spread; "1.00" if `ofItself`.
[[nodiscard]] QString ratioInWords(const Sample& ratio, Spread spread, bool ofItself);
// spreadInWords() of a result; "reached by 2 of 3 finished: 17.9 s" for a time to a target that not all finished runs
// reached.
[[nodiscard]] QString numberInWords(const ComparedGroup& group, CompareNumber number, Spread spread);
[[nodiscard]] QString reachedInWords(std::size_t reached, std::size_t finished, const QString& seconds);
// "95 % interval of the mean (Student's t)".
[[nodiscard]] QString spreadName(Spread spread);

}  // namespace dasgd::gui
