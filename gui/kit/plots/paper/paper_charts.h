// Bars, maps and graphs on a page of a paper; the height follows from the number of rows, of a graph from the width.
#pragma once

#include <variant>

#include "gui/kit/plots/bar_chart.h"
#include "gui/kit/plots/graph_plot.h"
#include "gui/kit/plots/heat_map.h"
#include "gui/kit/plots/paper/paper_figure.h"

namespace dasgd::gui {

struct PaperChart {
    std::variant<BarChart, HeatMap, RunGraph> chart;
    double widthIn = 5.5;
    PaperStyle style = {};
};

// Called on the UI thread; paint() of the page may run on any thread, one call at a time.
[[nodiscard]] PaperPage layOut(const PaperChart& chart);

}  // namespace dasgd::gui
