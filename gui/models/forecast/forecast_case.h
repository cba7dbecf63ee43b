// The rounds that a planned experiment would make, each kind once: what its sweep varies of them, what they would take,
// what would hide more. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/models/forecast/forecast_times.h"
#include "gui/models/forecast/round_forecast.h"

namespace dasgd::gui {

// What to write into the text.
struct RemedySetting {
    QString symbol, key, toml;  // "d", "algorithm.delay", "5"
};

struct ForecastCase {
    // More planned runs than these are not looked at, nor told apart.
    static constexpr std::size_t kMostPlanned = 100, kMostCases = 40;
    // A longer delay is not proposed: what it would do to the training no formula here says.
    static constexpr int kMostDelay = 1000;

    QString label;  // "d = 3" of a sweep over it; the algorithm where nothing sets it apart
    QString why;    // there is no forecast; "" where there is
    QString algorithm;
    std::vector<std::size_t> runs;  // places of the planned runs that it is the round of
    RoundForecast round;
    StepTime step;
    AverageTime average;
    std::optional<RoundForecast> remedy;  // with the smallest delay that hides all, where the present one does not
                                          // and that is at most kMostDelay
    std::vector<RemedySetting> settings;  // of the remedy: what hides, then the period that it needs where that changes
    QString longest;                      // "d = 1,000", beyond which none is proposed; "" where no setting delays
    QStringList decisive;                 // keys that the remedy depends on
    QStringList assumes;                  // sentences

    [[nodiscard]] bool known() const { return why.isEmpty(); }
    // "14.0 ms per round will not hide; d ≥ 6 would"; "" where nothing is waited for.
    [[nodiscard]] QString warning() const;
    // AverageTime::doubt where the round has an average; "" else.
    [[nodiscard]] QString doubt() const;
    // "3 steps take 16.2 ms, the average 30.2 ms."
    [[nodiscard]] QString reason() const;
    // The whole of it in sentences, for who does not see the picture.
    [[nodiscard]] QString inWords() const;
};

// In the order of the plan.
[[nodiscard]] std::vector<ForecastCase> forecastCases(const std::vector<PlannedRun>& planned,
                                                      const ForecastSources& sources);
// The case that waits longest in a step, else the first; 0 of none.
[[nodiscard]] std::size_t mostExposed(const std::vector<ForecastCase>& cases);

// "14.0 ms".
[[nodiscard]] QString secondsInWords(double seconds);

// A label of a case where there is little room: "τ 4 d 3" for "τ = 4, d = 3".
[[nodiscard]] QString narrow(QString label);

}  // namespace dasgd::gui
