// Ticks of axes that are painted without the plotting library.
#pragma once

#include <QFontMetricsF>
#include <QRectF>
#include <QStringList>
#include <vector>

namespace dasgd::gui {

struct ChartTicks {
    std::vector<double> values;
    QStringList labels;  // all in one unit, with as many decimals each
};

// About `count` ticks at 1, 2 or 5 times a power of ten within low … high; `low` is not above `high`.
[[nodiscard]] ChartTicks niceTicks(double low, double high, int count);
// Powers of ten within low … high, both above 0; of a range without one, as niceTicks().
[[nodiscard]] ChartTicks logTicks(double low, double high, int count);

// Where the title of an axis stands in the row [top, top + height): in the middle of left … right, and where it is
// wider, as far beyond them as `area` has room.
[[nodiscard]] QRectF titleRow(const QRectF& area, double left, double right, double top, double height,
                              const QString& title, const QFontMetricsF& metrics);

}  // namespace dasgd::gui
