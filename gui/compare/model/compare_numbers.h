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
    Sample ComparedGroup::*sample;
    double scale = 1;                                   // factor from the sample to the unit
    std::optional<double> ComparedGroup::*p = nullptr;  // of the difference from the baseline, where it is known
    [[nodiscard]] QString text() const;
};
[[nodiscard]] const std::vector<NumberWords>& compareNumbers();
[[nodiscard]] const NumberWords& wordsOf(CompareNumber number);

// The result in its unit; nullopt for a run that did not finish, as in the means.
[[nodiscard]] std::optional<double> numberOf(const RunItem& run, CompareNumber number,
                                             const std::map<std::string, double>& secondsToTarget);
[[nodiscard]] Sample sampleOf(const ComparedGroup& group, CompareNumber number);
// sampleOf(), but without a value (n = 0) where the mean must not be drawn or ranked: a time to a target that not all
// finished runs reached (ComparedGroup::allReached()).
[[nodiscard]] Sample drawnSampleOf(const ComparedGroup& group, CompareNumber number);
// p-value of the difference from the baseline; nullopt where it is not known.
[[nodiscard]] std::optional<double> probabilityOf(const ComparedGroup& group, CompareNumber number);

// "0.281 ± 0.021"; "0.281 (n = 2)" of fewer than three seeds; "1.00" if `ofItself`.
[[nodiscard]] QString ratioInWords(const Sample& ratio, Spread spread, bool ofItself);
// spreadInWords() of a result; "reached by 2 of 3 finished: 17.9 s" for a time to a target that not all finished runs
// reached.
[[nodiscard]] QString numberInWords(const ComparedGroup& group, CompareNumber number, Spread spread);
[[nodiscard]] QString reachedInWords(std::size_t reached, std::size_t finished, const QString& seconds);

}  // namespace dasgd::gui
