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

// A figure of curves; width and height in inches. Legend rows beyond the second and notes make the page higher, not the
// plot smaller. Names too long for the width are cut so that they still differ; beyond `kMostNamed` curves a note
// counts the rest.
struct PaperFigure {
    std::vector<Curve> curves;
    PlotAxes axes;
    double widthIn = 5.5, heightIn = 2.6;
    PaperStyle style = {};
    std::optional<std::pair<double, double>> xRange = {}, yRange = {};  // axis ranges; nullopt: fitted to the curves
    QStringList notes = {};                                             // notes before those of the curves
    std::size_t buckets = 0;  // a line is drawn by the lowest and highest point of so many buckets; 0: by all points
};
inline constexpr int kMostNamed = 24;
// Buckets of a preview: one for every second pixel at double size; more would change nothing visible.
inline constexpr std::size_t kPreviewBuckets = 360;

[[nodiscard]] PlotStyle plotStyleOf(const PaperStyle& paper);
// Paints the legend sample of a curve for a legend outside the axes: stroke and marker as within the axes.
void paintCurveSample(QPainter& painter, const QRectF& area, const PlotStyle& style, const Curve& curve, bool dashes,
                      bool markers);
// The notes below a figure, wrapped into lines of at most `width` points.
[[nodiscard]] QStringList linesOf(const QStringList& notes, double width);
[[nodiscard]] QFont noteFont();
// Notes printed on the page: the figure's own, then those of curves with the curve's name. A note that several curves
// share appears once, with their names or, for many, their number. figure.json and the CSV file have all notes.
[[nodiscard]] QStringList gatheredNotes(QStringList notes, const std::vector<Curve>& curves);
// The first few notes, each once, and a note with the number of the rest.
[[nodiscard]] QStringList fewOf(QStringList notes);
// Notes wrapped by linesOf(), with limits on the lines of each note and of all together.
[[nodiscard]] QStringList noteLines(QStringList notes, double width);
inline constexpr int kNoteRow = 11;  // height of a line of notes, in points

// The figure as a page. Call this and the page's paint() on the UI thread.
[[nodiscard]] PaperPage layOut(const PaperFigure& figure);
// Lays the figure out and writes it by writePage().
[[nodiscard]] Status writeFigure(const PaperFigure& figure, const QString& file);

}  // namespace dasgd::gui
