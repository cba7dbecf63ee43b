#include "gui/experiment/model/sweep/sweep_lines.h"

namespace dasgd::gui {

namespace {

std::optional<double> secondsOf(const ForecastCase& one, const SweepTime& time) {
    double seconds = 0;
    for (const std::size_t run : one.runs) {
        if (run >= time.each.size() || !time.each[run]) return std::nullopt;
        seconds += *time.each[run];
    }
    return seconds;
}

}  // namespace

std::vector<SweepLine> sweepLines(std::span<const ForecastCase> cases, const SweepTime& time) {
    std::vector<SweepLine> lines;
    if (cases.size() < 2) return lines;
    for (const ForecastCase& one : cases) {
        lines.push_back(
            {.label = one.label, .runs = one.runs.size(), .seconds = secondsOf(one, time), .tip = one.inWords()});
        if (!one.known()) continue;
        lines.back().hidden = one.round.hidden();
        lines.back().stepSeconds = one.round.stepSeconds();
    }
    return lines;
}

}  // namespace dasgd::gui
