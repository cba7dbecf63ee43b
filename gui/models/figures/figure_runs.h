// Which runs of a workspace a figure shows.
#pragma once

#include <QStringList>
#include <map>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "gui/models/figures/figure_spec.h"
#include "gui/models/runs/run_item.h"

namespace dasgd::gui {

class CompareBoard;

struct FigureRuns {
    std::vector<RunItemPtr> runs;  // as they are named; those of a filter in the order they were started
    QStringList missing;           // named, and not there any more
};

// Runs that have not begun are not among those of a filter. Errors: what is wrong with the filter; a beginning of an id
// that several runs have.
[[nodiscard]] Result<FigureRuns> runsOf(const FigureSpec& spec, std::span<const RunItemPtr> all);

// Where `filter` chooses just the runs `ids` of those that have begun, the figure gets it and follows what is recorded;
// else, or where it is "", the ids.
void takeRuns(FigureSpec& spec, const QStringList& ids, const QString& filter, std::span<const RunItemPtr> all);
// The same of these groups of a comparison, by the filter that they came from.
void takeRuns(FigureSpec& spec, const CompareBoard& board, const std::vector<std::size_t>& groups);
// The group that its ratios refer to as a figure keeps it; "" where none was chosen.
[[nodiscard]] QString baselineOf(const CompareBoard& board);
// The same figure with the ids of the runs that it has now in place of a filter, or with the filter of their
// experiments in place of ids. Not of panels. Errors: of the filter; there is no such run.
[[nodiscard]] Result<FigureSpec> pinnedFigure(const FigureSpec& spec, std::span<const RunItemPtr> all);
[[nodiscard]] Result<FigureSpec> followingFigure(const FigureSpec& spec, std::span<const RunItemPtr> all);

// The training loss of the experiment of `run`, whatever is added to it; of every run where it is null.
[[nodiscard]] FigureSpec figureOfExperiment(const RunItemPtr& run);

// What stays the same of a curve while other runs are added: the experiment and a number of its configuration.
[[nodiscard]] QString curveKey(const RunItem& run);
// What `names` of a figure call the curve of this key that is called `usual` by default: by the one or the other, whose
// spaces may be those of a keyboard. `usual` where they do not name it.
[[nodiscard]] QString nameOfCurve(const std::map<QString, QString>& names, const QString& key, const QString& usual);
// The same of a curve of runs that several experiments may have, each of which gives it a key.
[[nodiscard]] QString nameOfCurves(const std::map<QString, QString>& names, std::span<const RunItemPtr> runs,
                                   const QString& usual);
// Whether `written` means the curve of this key and default name.
[[nodiscard]] bool meansCurve(const QString& written, const QString& key, const QString& usual);

}  // namespace dasgd::gui
