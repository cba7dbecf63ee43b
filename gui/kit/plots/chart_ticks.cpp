#include "gui/kit/plots/chart_ticks.h"

#include <algorithm>
#include <cmath>

#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr int kMostDecimals = 6;

double niceStep(double range, int count) {
    const double rough = range / std::max(1, count);
    const double decade = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (rough <= factor * decade * (1 + 1e-9)) return factor * decade;
    }
    return 10 * decade;
}

QStringList tickLabels(const std::vector<double>& ticks, double step) {
    QStringList labels;
    if (ticks.empty()) return labels;
    const TickUnit unit = tickUnitOf(std::max(std::abs(ticks.front()), std::abs(ticks.back())));
    int decimals = 0;
    for (double scaled = step / unit.size; decimals < kMostDecimals; scaled *= 10) {
        if (std::abs(scaled - std::round(scaled)) <= 1e-6 * scaled) break;
        ++decimals;
    }
    for (const double tick : ticks) {
        const bool zero = std::abs(tick) < 1e-9 * step;
        labels << (zero ? QStringLiteral("0") : QString::number(tick / unit.size, 'f', decimals) + unit.name);
    }
    return labels;
}

}  // namespace

ChartTicks niceTicks(double low, double high, int count) {
    if (!(high > low)) return {{low}, {tickText(low)}};
    const double step = niceStep(high - low, count);
    ChartTicks ticks;
    for (double at = std::ceil(low / step - 1e-9); at * step <= high + 1e-9 * step; ++at) {
        ticks.values.push_back(at * step);
    }
    ticks.labels = tickLabels(ticks.values, step);
    return ticks;
}

ChartTicks logTicks(double low, double high, int count) {
    ChartTicks ticks;
    const double decades = std::log10(high / low);
    const double every = std::max(1.0, std::ceil(decades / std::max(1, count)));
    for (double power = std::ceil(std::log10(low) - 1e-9); power <= std::log10(high) + 1e-9; power += every) {
        ticks.values.push_back(std::pow(10.0, power));
        ticks.labels << tickText(ticks.values.back());
    }
    return ticks.values.size() < 2 ? niceTicks(low, high, count) : ticks;
}

QRectF titleRow(const QRectF& area, double left, double right, double top, double height, const QString& title,
                const QFontMetricsF& metrics) {
    const double width =
        std::min(area.width(), std::max(right - left, std::ceil(metrics.horizontalAdvance(title)) + 1));
    const double at = std::clamp((left + right - width) / 2, area.left(), area.right() - width);
    return {at, top, width, height};
}

}  // namespace dasgd::gui
