// The rounds of a sweep as lines: each distinct case, with its forecast and the time that its runs take. Pure; any
// thread.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "core/cost/plan_forecast.h"

namespace dasgd::gui {

struct SweepLine {
    QString label;                      // label of the forecast: "d = 3"
    std::size_t runs = 0;               // number of its runs among those examined
    std::optional<double> hidden;       // fraction of the transfer; nullopt if nothing is sent, or it is not known
    std::optional<double> stepSeconds;  // by forecast
    std::optional<double> seconds;      // for all of its runs; nullopt if that of one is not known
    QString tip;                        // the forecast in sentences, or why there is none
    bool operator==(const SweepLine&) const = default;
};

// One line per case, in order; empty for a single case, which the forecast itself describes.
[[nodiscard]] std::vector<SweepLine> sweepLines(const std::vector<ForecastCase>& cases);

// "10 s", "6.2 min", "3.0 h", "2.5 days".
[[nodiscard]] QString roughly(double seconds);

}  // namespace dasgd::gui
