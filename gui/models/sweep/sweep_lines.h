// What a sweep makes, line by line: each kind of round that it varies, with what is forecast of it and how long its
// runs take. Pure; any thread.
#pragma once

#include <QString>
#include <optional>
#include <span>
#include <vector>

#include "gui/models/forecast/forecast_case.h"
#include "gui/models/sweep/sweep_time.h"

namespace dasgd::gui {

struct SweepLine {
    QString label;                      // of the forecast: "d = 3"
    std::size_t runs = 0;               // of those that were looked at
    std::optional<double> hidden;       // share of the transfer; nullopt where nothing is sent or nothing is known
    std::optional<double> stepSeconds;  // by forecast
    std::optional<double> seconds;      // of its runs; nullopt where one of them is not known
    QString tip;                        // the forecast in sentences, or why there is none
    bool operator==(const SweepLine&) const = default;
};

// One a case, in their order; none where there is a single case, of which the forecast says it all.
[[nodiscard]] std::vector<SweepLine> sweepLines(std::span<const ForecastCase> cases, const SweepTime& time);

}  // namespace dasgd::gui
