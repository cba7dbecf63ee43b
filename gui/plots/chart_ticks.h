// Ticks of axes that are painted without the plotting library.
#pragma once

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

}  // namespace dasgd::gui
