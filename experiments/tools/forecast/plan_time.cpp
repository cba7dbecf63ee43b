#include "experiments/tools/forecast/plan_time.h"

#include <algorithm>
#include <map>
#include <set>

#include "experiments/base/text.h"
#include "experiments/tools/forecast/forecast_cases.h"

namespace dasgd::experiments {

PlanTime planTime(const std::vector<CheckedExperiment>& planned, const EarlierSteps& earlier,
                  const std::vector<ForecastCase>& cases) {
    std::map<std::size_t, double> forecast;
    for (const ForecastCase& one : cases) {
        for (const std::int64_t run : one.runs) {
            if (one.known()) forecast[static_cast<std::size_t>(run)] = one.round->stepSeconds;
        }
    }
    PlanTime time{.looked = std::min(planned.size(), kMostForecastRuns), .total = planned.size()};
    std::set<std::string> measured;
    for (std::size_t i = 0; i < time.looked; ++i) {
        const CheckedExperiment& run = planned[i];
        const bool isSimulated = run.layout.timeSimulated;
        time.simulated = time.simulated || isSimulated;
        time.each.emplace_back();
        const EarlierSteps::Mean earlierStep = earlier.ofSettings(settingsOf(run.resolved));
        const auto byForecast = isSimulated ? forecast.end() : forecast.find(i);
        if (run.totalSteps <= 0 || (earlierStep.count == 0 && byForecast == forecast.end())) continue;
        const double step = earlierStep.value().value_or(byForecast == forecast.end() ? 0 : byForecast->second);
        time.each.back() = static_cast<double>(run.totalSteps) * step;
        time.seconds += *time.each.back();
        ++time.known;
        time.forecast += earlierStep.count == 0 ? 1 : 0;
        // Repetitions with other seeds are measured by the same runs.
        if (measured.insert(configurationKey(settingsOf(run.resolved))).second)
            time.finished += static_cast<std::size_t>(earlierStep.count);
    }
    return time;
}

std::optional<double> PlanTime::secondsOf(const ForecastCase& one) const {
    double sum = 0;
    for (const std::int64_t run : one.runs) {
        const auto place = static_cast<std::size_t>(run);
        if (place >= each.size() || !each[place]) return std::nullopt;
        sum += *each[place];
    }
    return sum;
}

std::string PlanTime::inWords() const {
    if (known == 0) return "not known";
    if (known == total) return "about " + duration(seconds);
    return duration(seconds) + " for " + std::to_string(known) + " of " + std::to_string(total) + " runs";
}

std::string PlanTime::basis() const {
    if (known == 0 && simulated) {
        return "the cluster's times are simulated, and no finished run here says how long simulating these takes";
    }
    if (known == 0) return "no finished run here has these settings, and no forecast says a step";
    std::string words = "planned steps × time of a step in ";
    if (finished > 0) {
        words += std::to_string(finished) + (finished == 1 ? " finished run" : " finished runs") +
                 " with these settings, with what they took to start and to evaluate";
    }
    if (forecast > 0) {
        const std::string runs = forecast == 1 ? "1 run" : std::to_string(forecast) + " runs";
        words += (finished > 0 ? "; for " + runs + " in the forecast" : std::string("the forecast")) +
                 ", which counts no starting and evaluating";
    }
    if (looked < total) return words + "; looked at the first " + std::to_string(looked) + " runs";
    return known < total ? words + "; the others have neither a measurement nor a forecast" : words;
}

}  // namespace dasgd::experiments
