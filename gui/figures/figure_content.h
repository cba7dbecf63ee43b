// What a figure shows, read from the store at once; drawn and written without it.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "gui/figures/timeline_figure.h"
#include "gui/models/figures/figure_spec.h"
#include "gui/models/live/curve.h"
#include "gui/models/runs/run_item.h"
#include "gui/plots/bar_chart.h"
#include "gui/plots/heat_map.h"
#include "gui/plots/paper_figure.h"
#include "gui/plots/paper_parallel.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Cells as text, "±" and units included.
struct FigureTable {
    QStringList columns;
    std::vector<QStringList> rows;
    QStringList notes;  // below the rows
};

// A curve, or the run of a timeline: what it is made of.
struct FigureSource {
    QString key, usualName, name;
    CurveStyle style;
    std::vector<RunItemPtr> runs;
    std::vector<bool> drawn;  // of each run, whether it is in the picture
    QString n;                // what the picture says of how many runs made a value; "" where it is drawnRuns()
    [[nodiscard]] int drawnRuns() const;
    // "3", "2 of 3", "1 to 3": as in the picture.
    [[nodiscard]] QString countInWords() const;
};

struct FigureContent {
    FigureKind kind = FigureKind::Curves;
    std::vector<Curve> curves;
    PlotAxes axes;
    std::optional<TimelineContent> timeline;
    std::optional<BarChart> bars;
    std::optional<HeatMap> map;
    std::optional<ParallelFigure> parallel;  // lines and legend; the page is the spec's
    std::vector<FigureContent> panels;
    FigureTable table;
    QString csv;        // every number, where it is not that of curves or spans
    QString pointsCsv;  // of scaling: every number of every point
    std::vector<FigureSource> sources;
    QStringList notes;        // beside those of the curves: what was left out of the figure, what its bars are
    QStringList cautions;     // those of `notes` that a caption has to say too
    QStringList leftOut;      // runs that are in no mean and no point, one note each
    QStringList missing;      // runs that are named and are not there
    QStringList unusedNames;  // keys of FigureSpec::names that are no curve's: their names are nowhere in the figure
    QString setup;    // setupLine() (figure_setup.h); "" of panels, which have theirs, and where nothing is drawn
    QString nothing;  // why there is nothing to draw; "" where there is
    // Whether it is drawn as curves in axes.
    [[nodiscard]] bool hasCurves() const { return !timeline && !bars && !map && !parallel && panels.empty(); }
    // "4 curves, 19 of 20 runs, mean ± 95 % interval".
    [[nodiscard]] QString inWords() const;
    // As they are printed below it, without those of the curves: `notes`, and of many runs left out their number alone.
    [[nodiscard]] QStringList paperNotes() const;
    // A few words each of `missing` and `unusedNames`, where there are any.
    [[nodiscard]] QStringList notFoundInWords() const;
    // Of unusedNames, with what there is instead; "" without any.
    [[nodiscard]] QString unusedNamesInWords() const;
    // `notes`, every run that is left out, and those of the curves with their names.
    [[nodiscard]] QStringList allNotes() const;
};

// Any thread. `all`: every run of the workspace. Errors: what is wrong with the filter, a store that cannot be read.
[[nodiscard]] Result<FigureContent> readFigure(storage::RunReader& reader, const FigureSpec& spec,
                                               std::span<const RunItemPtr> all);

// UI thread. `buckets`: PaperFigure's; for a preview.
[[nodiscard]] PaperPage layOut(const FigureContent& content, const FigureSpec& spec, std::size_t buckets = 0);

// Its parallel coordinates as they are printed: with page, style and notes.
[[nodiscard]] ParallelFigure parallelOf(const FigureContent& content, const FigureSpec& spec);

// The colours of a palette, by the numbers of CurveStyle.
[[nodiscard]] std::array<QColor, kCurveColors> paletteOf(FigurePalette palette);

}  // namespace dasgd::gui
