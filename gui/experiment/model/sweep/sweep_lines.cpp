#include "gui/experiment/model/sweep/sweep_lines.h"

#include "gui/kit/words/words.h"

namespace dasgd::gui {

std::vector<SweepLine> sweepLines(const std::vector<ForecastCase>& cases) {
    std::vector<SweepLine> lines;
    if (cases.size() < 2) return lines;
    for (const ForecastCase& one : cases) {
        lines.push_back({.label = QString::fromStdString(one.label),
                         .runs = one.runs.size(),
                         .seconds = one.seconds,
                         .tip = QString::fromStdString(one.words)});
        if (!one.known()) continue;
        lines.back().hidden = one.round->hidden;
        lines.back().stepSeconds = one.round->stepSeconds;
    }
    return lines;
}

QString roughly(double seconds) {
    constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
    if (seconds < 2 * kMinute) return QStringLiteral("%1 s").arg(shortNumber(seconds, 2));
    if (seconds < 2 * kHour) return QStringLiteral("%1 min").arg(shortNumber(seconds / kMinute, 2));
    if (seconds < 2 * kDay) return QStringLiteral("%1 h").arg(shortNumber(seconds / kHour, 2));
    return QStringLiteral("%1 days").arg(shortNumber(seconds / kDay, 2));
}

}  // namespace dasgd::gui
