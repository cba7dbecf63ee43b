// Content of a figure, read from the store in one go; drawing and writing it needs no store.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "gui/data/runs/run_item.h"
#include "gui/figures/content/timeline_figure.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/curves/curve.h"
#include "gui/kit/plots/bar_chart.h"
#include "gui/kit/plots/graph_plot.h"
#include "gui/kit/plots/heat_map.h"
#include "gui/kit/plots/paper/paper_figure.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::gui {

// A table with cells as text, including "±" and units.
struct FigureTable {
    QStringList columns;
    std::vector<QStringList> rows;
    QStringList notes;  // notes below the rows
};

// Runs behind one curve, bar or line of a figure, or the run of a timeline.
struct FigureSource {
    QString key, usualName, name;
    CurveStyle style;
    std::vector<RunItemPtr> runs;
    std::vector<bool> drawn;  // for each of `runs`: true if it is in the picture
    QString n;                // number of runs behind a value, in the picture's words; "" where it is drawnRuns()
    [[nodiscard]] int drawnRuns() const;
    // Number of runs in the words of the picture: "3", "2 of 3", "1 to 3".
    [[nodiscard]] QString countInWords() const;
};

struct FigureContent {
    FigureKind kind = FigureKind::Curves;
    std::vector<Curve> curves;
    PlotAxes axes;
    std::optional<TimelineContent> timeline;
    std::optional<BarChart> bars;
    std::optional<HeatMap> map;
    std::optional<RunGraph> graph;
    std::vector<FigureContent> panels;
    FigureTable table;
    QString csv;        // the CSV file of kinds that have neither curves nor spans; else ""
    QString pointsCsv;  // scaling only: every number of every point
    std::vector<FigureSource> sources;
    QStringList notes;        // notes of the whole figure: omissions, meaning of bars; each Curve has its own too
    QStringList cautions;     // those of `notes` that a caption repeats
    QStringList leftOut;      // runs that are in no mean and no point, one note each
    QStringList missing;      // runs that the spec names and the workspace lacks
    QStringList unusedNames;  // keys of FigureSpec::names that match no curve
    QString setup;    // set-up of the runs, by addSetup(); "" for panels, which have their own, and if not drawn
    QString nothing;  // the reason why there is nothing to draw; "" otherwise
    // True for kinds that are drawn as curves in axes.
    [[nodiscard]] bool hasCurves() const { return !timeline && !bars && !map && !graph && panels.empty(); }
    // Summary of the content: "4 curves, 19 of 20 runs, mean ± 95 % interval".
    [[nodiscard]] QString inWords() const;
    // The notes of the caption, without those of the curves: `notes` and `leftOut`, of which many runs become one line
    // with their number.
    [[nodiscard]] QStringList paperNotes() const;
    // One short phrase for `missing` and one for `unusedNames`, unless they are empty.
    [[nodiscard]] QStringList notFoundInWords() const;
    // A sentence that lists unusedNames and the names and keys that exist; "" if all names are used.
    [[nodiscard]] QString unusedNamesInWords() const;
    // `notes`, `leftOut` in full, and the notes of panels and curves with their names.
    [[nodiscard]] QStringList allNotes() const;
};

// Any thread. `all`: every run of the workspace. Errors: a faulty filter, a store that cannot be read.
[[nodiscard]] Result<FigureContent> readFigure(storage::WorkspaceReader& reader, const FigureSpec& spec,
                                               std::span<const RunItemPtr> all);

// Curves of a figure with all that is drawn around them. `buckets`: as in PaperFigure.
[[nodiscard]] PaperFigure paperFigureOf(const FigureContent& content, const FigureSpec& spec, std::size_t buckets = 0);
// The figure as a page. UI thread. `buckets`: as in PaperFigure; 0: as a printer resolves.
[[nodiscard]] PaperPage layOut(const FigureContent& content, const FigureSpec& spec, std::size_t buckets = 0);

// The colours of a palette, indexed by CurveStyle::color.
[[nodiscard]] std::array<QColor, kCurveColors> paletteOf(FigurePalette palette);

}  // namespace dasgd::gui
