// The distinct rounds of a planned experiment: the swept settings, forecast times, and the delay that would hide more.
// Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/experiment/model/forecast/forecast_times.h"
#include "gui/experiment/model/forecast/round_forecast.h"

namespace dasgd::gui {

// A setting proposed for the experiment's text.
struct RemedySetting {
    QString symbol, key, toml;  // "d", "algorithm.delay", "5"
};

struct ForecastCase {
    // Limits on the planned runs examined and the cases told apart.
    static constexpr std::size_t kMostPlanned = 100, kMostCases = 40;
    // No longer delay is proposed, as its effect on training is not modelled.
    static constexpr int kMostDelay = 1000;

    QString label;  // "d = 3" in a sweep over it; the algorithm if there is only one case
    QString why;    // reason why there is no forecast; "" if there is one
    QString algorithm;
    std::vector<std::size_t> runs;  // indices of the planned runs with this round
    RoundForecast round;
    StepTime step;
    AverageTime average;
    std::optional<RoundForecast> remedy;  // with the smallest delay that hides all, where the present one does not
                                          // and that is at most kMostDelay
    std::vector<RemedySetting> settings;  // settings of the remedy: the delay, then the period if it must change
    QString longest;                      // "d = 1,000", the longest delay proposed; "" if no setting delays
    QStringList decisive;                 // keys that the remedy depends on
    QStringList assumes;                  // assumptions, in sentences

    [[nodiscard]] bool known() const { return why.isEmpty(); }
    // "14.0 ms per round will not hide; d ≥ 6 would"; "" if nothing blocks.
    [[nodiscard]] QString warning() const;
    // AverageTime::doubt if the round has an average, else "".
    [[nodiscard]] QString doubt() const;
    // The times compared: "3 steps take 16.2 ms, the average 30.2 ms."
    [[nodiscard]] QString reason() const;
    // The whole forecast in sentences, as a text alternative to the picture.
    [[nodiscard]] QString inWords() const;
};

// Cases in the order of the plan.
[[nodiscard]] std::vector<ForecastCase> forecastCases(const std::vector<PlannedRun>& planned,
                                                      const ForecastSources& sources);
// Index of the case to show first: the one with the longest wait per step among those with a remedy, else among those
// with a forecast, else the first.
[[nodiscard]] std::size_t mostExposed(const std::vector<ForecastCase>& cases);

// Seconds shown in milliseconds: "14.0 ms".
[[nodiscard]] QString secondsInWords(double seconds);

// A case's label for narrow places: "τ 4 d 3" for "τ = 4, d = 3".
[[nodiscard]] QString narrow(QString label);

}  // namespace dasgd::gui
