// Curves on a page of a paper.
#pragma once

#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "gui/kit/plots/paper/paper_page.h"
#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

// Style of a figure on paper: text sizes in points, colours by CurveStyle::color.
struct PaperStyle {
    int label = 8, tick = 8;
    std::array<QColor, kCurveColors> curves = paperPlotStyle().curves;
    bool dashes = true, markers = true;
};

enum class PaperLegend { Above, Inside, None };  // Inside: in the upper right corner of the axes

// A figure of curves; width and height in inches. Legend rows beyond the second make the page higher, not the plot
// smaller. Names too long for the width are cut so that they still differ; curves beyond `kMostNamed` have no name.
// Notes of curves are not printed: they belong into the caption.
struct PaperFigure {
    std::vector<Curve> curves;
    PlotAxes axes;
    double widthIn = 5.5, heightIn = 2.6;
    PaperStyle style = {};
    std::optional<std::pair<double, double>> xRange = {}, yRange = {};  // axis ranges; nullopt: fitted to the curves
    std::vector<double> xTicks = {}, yTicks = {};                       // empty: chosen to fit
    PaperLegend legend = PaperLegend::Above;
    int legendColumns = 0;    // at most; 0: as many as fit
    std::size_t buckets = 0;  // a line is drawn by the lowest and highest point of so many buckets; 0: by all points
};
inline constexpr int kMostNamed = 24;
// Buckets of a preview: one for every second pixel at double size; more would change nothing visible.
inline constexpr std::size_t kPreviewBuckets = 360;

[[nodiscard]] PlotStyle plotStyleOf(const PaperStyle& paper);
// Paints the legend sample of a curve for a legend outside the axes: stroke and marker as within the axes.
void paintCurveSample(QPainter& painter, const QRectF& area, const PlotStyle& style, const Curve& curve, bool dashes,
                      bool markers);
// Notes on a figure, for its caption: the figure's own, then those of curves with the curve's name. A note that several
// curves share appears once, with their names or, for many, their number. figure.json and the CSV file have all notes.
[[nodiscard]] QStringList gatheredNotes(QStringList notes, const std::vector<Curve>& curves);
// The first few notes, each once, and a note with the number of the rest.
[[nodiscard]] QStringList fewOf(QStringList notes);

// The figure as a page. Call this and the page's paint() on the UI thread.
[[nodiscard]] PaperPage layOut(const PaperFigure& figure);
// What layOut() draws around the curves, so that another renderer draws the same.
struct DrawnAxis {
    double low = 0, high = 1;
    std::vector<std::pair<double, QString>> ticks;  // within the limits
};
struct DrawnAxes {
    DrawnAxis x, y;
    int legendColumns = 1;
    QStringList names;  // of the curves, as the legend has them
};
// UI thread.
[[nodiscard]] DrawnAxes drawnAxes(const PaperFigure& figure);
// Lays the figure out and writes it by writePage().
[[nodiscard]] Status writeFigure(const PaperFigure& figure, const QString& file);

}  // namespace dasgd::gui
