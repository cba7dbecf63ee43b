// Ticks of axes that are painted without the plotting library.
#pragma once

#include <QFontMetricsF>
#include <QRectF>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

struct ChartTicks {
    std::vector<double> values;
    QStringList labels;  // all in one unit and with the same number of decimals
};

// About `count` ticks at 1, 2 or 5 times a power of ten within low … high; `low` is not above `high`.
[[nodiscard]] ChartTicks niceTicks(double low, double high, int count);
// Powers of ten within low … high, both above 0; niceTicks() if there is none in the range.
[[nodiscard]] ChartTicks logTicks(double low, double high, int count);

// Rectangle for the title of an axis in the row [top, top + height): centred between left and right; a wider title
// extends beyond them as far as `area` has room.
[[nodiscard]] QRectF titleRow(const QRectF& area, double left, double right, double top, double height,
                              const QString& title, const QFontMetricsF& metrics);

}  // namespace dasgd::gui
