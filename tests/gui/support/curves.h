// Curves that tests draw.
#pragma once

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

// `slope` times x, for x = 0 … 100.
inline Curve ramp(double slope) {
    Curve curve{.name = QStringLiteral("ramp"), .style = {0, 0, 0}};
    for (int i = 0; i <= 100; ++i) {
        curve.line.x.push_back(i);
        curve.line.y.push_back(slope * i);
    }
    return curve;
}

}  // namespace dasgd::gui
