// Curves on a page of a paper.
#pragma once

#include <QString>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/result.h"
#include "gui/plots/paper_page.h"
#include "gui/plots/plot_view.h"

namespace dasgd::gui {

// Text in points; colours by the curves' own numbers.
struct PaperStyle {
    int label = 8, tick = 8;
    std::array<QColor, kCurveColors> curves = paperPlotStyle().curves;
    bool dashes = true, markers = true;
};

// Width and height in inches; the page has the size of the figure, in points. Rows of the legend beyond the second and
// the notes of the curves make the page higher, not the plot smaller. Names too long for the width are cut so that they
// still differ; of more than `kMostNamed` curves the rest is counted in words.
struct PaperFigure {
    std::vector<Curve> curves;
    PlotAxes axes;
    double widthIn = 5.5, heightIn = 2.6;
    PaperStyle style = {};
    std::optional<std::pair<double, double>> xRange = {}, yRange = {};  // else all of the curves
    QStringList notes = {};                                             // before those of the curves
    std::size_t buckets = 0;  // of a curve of lines: of each only the lowest and the highest point; 0: all points
};
inline constexpr int kMostNamed = 24;
// Two points of each for every other pixel of a preview at twice its size; more are strokes that nobody sees.
inline constexpr std::size_t kPreviewBuckets = 360;

[[nodiscard]] PlotStyle plotStyleOf(const PaperStyle& paper);
// The sample of a curve in a legend outside its axes: its stroke and its marker, as they are drawn in them.
void paintCurveSample(QPainter& painter, const QRectF& area, const PlotStyle& style, const Curve& curve, bool dashes,
                      bool markers);
// The notes below a figure in lines that fit its width, in points, and their type.
[[nodiscard]] QStringList linesOf(const QStringList& notes, double width);
[[nodiscard]] QFont noteFont();
// A page is a figure and no list; figure.json and the CSV file have all notes. What a figure says beside its curves:
// its own notes, what several curves have alike once with their names, of many their number, and what is of one curve
// with its name.
[[nodiscard]] QStringList gatheredNotes(QStringList notes, const std::vector<Curve>& curves);
// The first of many notes, each once, and how many more there are.
[[nodiscard]] QStringList fewOf(QStringList notes);
// Such notes in lines as by linesOf(): no note has more than a few of them, nor have all together.
[[nodiscard]] QStringList noteLines(QStringList notes, double width);
inline constexpr int kNoteRow = 11;  // height of a line

// UI thread, as its paint() too.
[[nodiscard]] PaperPage layOut(const PaperFigure& figure);
// writePage() of it.
[[nodiscard]] Status writeFigure(const PaperFigure& figure, const QString& file);

}  // namespace dasgd::gui
