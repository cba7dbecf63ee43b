#include "gui/kit/plots/paper/paper_charts.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <memory>

#include "gui/kit/theme/paper.h"

namespace dasgd::gui {

namespace {

constexpr double kEdge = 2;  // white margin, in points
constexpr double kHeatRow = 2.6,
                 kHeatFoot = 2.6;   // heights of a row of cells and of the labels below, in lines of text
constexpr double kGraphSide = 155;  // points, at most

double heightOf(const BarChart& chart, const PlotStyle& style, double) { return barChartHeight(chart, style); }
double heightOf(const RunGraph&, const PlotStyle&, double width) { return std::min(width - 2 * kEdge, kGraphSide); }
double heightOf(const HeatMap& map, const PlotStyle& style, double) {
    return QFontMetricsF(style.font).height() * (kHeatRow * static_cast<double>(map.rows.size()) + kHeatFoot);
}

void paint(QPainter& painter, const QRectF& area, const BarChart& chart, const PlotStyle& style) {
    paintBarChart(painter, area, chart, style);
}
void paint(QPainter& painter, const QRectF& area, const RunGraph& graph, const PlotStyle& style) {
    paintGraph(painter, area, graph, style);
}
void paint(QPainter& painter, const QRectF& area, const HeatMap& map, const PlotStyle& style) {
    paintHeatMap(painter, area, map, style);
}

}  // namespace

PaperPage layOut(const PaperChart& chart) {
    const double width = chart.widthIn * kPointsPerInch;
    const PlotStyle style = plotStyleOf(chart.style);
    const double rows = std::visit([&](const auto& own) { return heightOf(own, style, width); }, chart.chart);
    const double height = std::ceil(2 * kEdge + rows);
    // The page outlives `chart`, so it keeps a copy.
    const auto kept = std::make_shared<const PaperChart>(chart);
    return {{width, height}, [=](QPaintDevice& device, double scale) {
                QPainter painter(&device);
                painter.setRenderHint(QPainter::Antialiasing);
                painter.scale(scale, scale);
                const QRectF area(kEdge, kEdge, width - 2 * kEdge, rows);
                std::visit([&](const auto& own) { paint(painter, area, own, style); }, kept->chart);
            }};
}

}  // namespace dasgd::gui
