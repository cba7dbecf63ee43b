// Labels of parallel coordinates on paper: full names where these fit, else short or rotated ones, explained in a note.
// The page and the TeX document use the same labels.
#pragma once

#include <QStringList>
#include <vector>

#include "gui/kit/plots/paper/paper_figure.h"
#include "gui/kit/plots/parallel_plot.h"

namespace dasgd::gui {

struct ParallelFigure {
    ParallelPlot plot;                     // at least two axes
    std::vector<ParallelLine> legend;      // entries of the legend: names and styles, without values
    double widthIn = 5.5, heightIn = 2.6;  // more legend rows, rotated names and notes make the page higher
    PaperStyle style = {};
    QStringList notes = {};
};

// Title and labels of an axis.
struct ParallelLabels {
    QString title;
    std::vector<double> values;  // positions of the labels, in values of the axis
    QStringList labels;
    bool turned = false;  // true if the labels are rotated and read upwards
    bool before = false;  // true if the labels stand left of the axis, where there are no lines
};

// All labels of a figure and the room that they take, in points.
struct ParallelWords {
    std::vector<ParallelLabels> axes;
    bool turned = false;         // true if the titles are rotated and read upwards
    QStringList meanings;        // "ms/step: time per step [ms]"; empty where nothing was shortened
    double titleHeight = 0;      // room above the axes
    double left = 0, right = 0;  // room beside the first and the last axis
    double axisHeight = 0;
    double below = 0;                       // room below the axes: half a marker, or the row of absent values
    QString none = QStringLiteral("none");  // label below an axis for lines without a value on it
};
// Labels of the figure. UI thread.
[[nodiscard]] ParallelWords parallelWords(const ParallelFigure& figure);
// The entries drawn in the legend, with names cut to the width, and a note on the number of the others.
struct ParallelLegend {
    std::vector<ParallelLine> entries;
    QString more;
};
[[nodiscard]] ParallelLegend parallelLegend(const ParallelFigure& figure);
// Notes below the figure: its own, the meanings of short names, and the number of lines that the legend leaves out.
[[nodiscard]] QStringList parallelNotes(const ParallelFigure& figure, const ParallelWords& words,
                                        const ParallelLegend& legend);

// True if the line has markers. Hollow ones are always drawn, since nothing else shows that time is simulated.
[[nodiscard]] inline bool hasMarkers(const ParallelLine& line, const PaperStyle& style) {
    return style.markers || line.hollow;
}
inline constexpr double kNoneBelow = 11;  // points from the lower end of an axis to the row of absent values

// Lengths in points.
inline constexpr double kParallelEdge = 2;     // white margin of the page
inline constexpr double kParallelGap = 5;      // between an axis and its labels
inline constexpr double kMarkerRoom = 6;       // between the end of an axis and text
inline constexpr double kParallelSample = 27;  // width of a legend sample with the space before its name
[[nodiscard]] inline double parallelLegendRow(const PaperStyle& style) { return style.label + 4; }
// Left edge of a title of width `wide`, centred on the axis at `x` and kept within a page of width `width`.
[[nodiscard]] double parallelTitleLeft(double x, double wide, double width);

}  // namespace dasgd::gui
