// Forecasts as `dasgd run --dry-run --json` gives them, of T_c 5 ms and T_m 22 ms.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/cost/plan_forecast.h"

namespace dasgd::gui::forecast_test {

inline RoundForecast roundOf(int delay, int period) {
    return *forecastRound({.period = period, .delay = delay, .compute = 0.005, .exchange = {.first = 0.022}});
}

// A case of dasgd; five steps of delay hide all.
inline ForecastCase caseOf(int delay, std::string label = "dasgd", int period = 8) {
    constexpr int kEnough = 5;
    ForecastCase one;
    one.label = std::move(label);
    one.algorithm = "dasgd";
    one.runs = {0};
    one.round = roundOf(delay, period);
    one.bytes = 250'000;
    one.computeFrom = "dasgd run r1 less its waiting, 2 days old, mean of 2000 steps";
    one.exchangeFrom = "ring over the emulated 100Mbps, 1ms";
    one.decisive = {"algorithm.delay", "algorithm.period"};
    one.reason = std::to_string(delay) + " steps take so long, the average 22.0 ms.";
    if (delay < kEnough) {
        one.remedy = roundOf(kEnough, std::max(period, kEnough));
        one.settings = {{"d", "algorithm.delay", "5"}};
        if (period < kEnough) one.settings.push_back({"τ", "algorithm.period", "5"});
        one.warning = "7.00 ms per round will not hide; d ≥ 5 would.";
    }
    one.words = "Forecast by formula of " + one.label + ". " + one.warning + " " + one.reason;
    return one;
}

// A case of local_sgd, which no setting helps.
inline ForecastCase blockingCase() {
    ForecastCase one = caseOf(0, "local_sgd");
    one.algorithm = "local_sgd";
    one.remedy.reset();
    one.settings.clear();
    one.decisive.clear();
    one.warning = "22.0 ms per round will not hide: local_sgd waits for each average.";
    one.reason = "The average takes 22.0 ms, and nothing is computed meanwhile.";
    return one;
}

inline ForecastCase unknownCase() {
    ForecastCase one;
    one.label = "other";
    one.runs = {1, 2};
    one.why = one.words = "No run has timed this step yet. Calibrate, or run it once.";
    return one;
}

inline PlanForecast forecastOf(std::vector<ForecastCase> cases, std::int64_t first = 0) {
    return {.cases = std::move(cases),
            .first = first,
            .takes = "about 10 s",
            .takesFrom = "planned steps × time of a step"};
}

}  // namespace dasgd::gui::forecast_test
