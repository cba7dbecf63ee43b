// What is written at parallel coordinates on paper: full names where these fit, else short or turned ones and what they
// mean in a note. Page and document draw the same words.
#pragma once

#include <QStringList>
#include <vector>

#include "gui/plots/paper_figure.h"
#include "gui/plots/parallel_plot.h"

namespace dasgd::gui {

struct ParallelFigure {
    ParallelPlot plot;                     // at least two axes
    std::vector<ParallelLine> legend;      // what looks mean: names and looks, without values
    double widthIn = 5.5, heightIn = 2.6;  // more rows of the legend, turned names and notes make the page higher
    PaperStyle style = {};
    QStringList notes = {};
};

// What is written at an axis.
struct ParallelLabels {
    QString title;
    std::vector<double> values;  // of the labels, in the axis' own
    QStringList labels;
    bool turned = false;  // they read from below
    bool before = false;  // they end at the axis, where no line is, instead of beginning there
};

// The words of a figure and the room that they take, in points.
struct ParallelWords {
    std::vector<ParallelLabels> axes;
    bool turned = false;         // the titles read from below
    QStringList meanings;        // "ms/step: time per step [ms]"; none where nothing was shortened
    double titleHeight = 0;      // above the axes
    double left = 0, right = 0;  // beside the first and the last axis
    double axisHeight = 0;
    double below = 0;                       // the axes: half a marker, or what lacks a value
    QString none = QStringLiteral("none");  // below an axis, where the lines are that lack it
};
// UI thread.
[[nodiscard]] ParallelWords parallelWords(const ParallelFigure& figure);
// The legend's entries that are drawn, their names cut to the width; and a note about the others.
struct ParallelLegend {
    std::vector<ParallelLine> entries;
    QString more;
};
[[nodiscard]] ParallelLegend parallelLegend(const ParallelFigure& figure);
// Below the figure: its notes, what short names mean, what the legend leaves out.
[[nodiscard]] QStringList parallelNotes(const ParallelFigure& figure, const ParallelWords& words,
                                        const ParallelLegend& legend);

// Whether the line's values have markers: hollow ones are drawn in any case, for nothing else says what they say.
[[nodiscard]] inline bool hasMarkers(const ParallelLine& line, const PaperStyle& style) {
    return style.markers || line.hollow;
}
inline constexpr double kNoneBelow = 11;  // points below an axis

// Points.
inline constexpr double kParallelEdge = 2;     // white around the page
inline constexpr double kParallelGap = 5;      // between an axis and its labels
inline constexpr double kMarkerRoom = 6;       // between the end of an axis and words
inline constexpr double kParallelSample = 27;  // of an entry of the legend, with the space before its name
[[nodiscard]] inline double parallelLegendRow(const PaperStyle& style) { return style.label + 4; }
// Where the title of an axis at `x` begins: in the middle of it, and within the page.
[[nodiscard]] double parallelTitleLeft(double x, double wide, double width);

}  // namespace dasgd::gui
