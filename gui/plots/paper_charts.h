// Bars and maps on a page of a paper, as high as their rows take.
#pragma once

#include <QStringList>
#include <variant>

#include "gui/plots/bar_chart.h"
#include "gui/plots/heat_map.h"
#include "gui/plots/paper_figure.h"

namespace dasgd::gui {

struct PaperChart {
    std::variant<BarChart, HeatMap> chart;
    double widthIn = 5.5;
    PaperStyle style = {};
    QStringList notes = {};  // below it
};

// UI thread; its paint() any thread, one at a time.
[[nodiscard]] PaperPage layOut(const PaperChart& chart);

}  // namespace dasgd::gui
