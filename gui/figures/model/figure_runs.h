// Selection of the runs of a workspace that a figure shows.
#pragma once

#include <QStringList>
#include <map>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "gui/data/runs/run_item.h"
#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

class CompareChoice;

struct FigureRuns {
    std::vector<RunItemPtr> runs;  // in the order of `FigureSpec::runs`; those of a filter in order of their start
    QStringList missing;           // ids in the figure that no run has any more
};

// Runs that the figure shows; a filter leaves out runs that have not begun. Errors: of the filter; a beginning of an id
// that several runs share.
[[nodiscard]] Result<FigureRuns> runsOf(const FigureSpec& spec, std::span<const RunItemPtr> all);

// Stores the choice of runs in `spec`: the filter, if it chooses exactly the runs `ids` among those that have begun, so
// that the figure follows new runs; else, or if it is "", the ids.
void takeRuns(FigureSpec& spec, const QStringList& ids, const QString& filter, std::span<const RunItemPtr> all);
// Stores the choice of these groups of a comparison, by the filter that chose them if it fits.
void takeRuns(FigureSpec& spec, const CompareChoice& choice, const std::vector<std::size_t>& groups);
// Its chosen baseline in the form that a figure stores; "" if none was chosen.
[[nodiscard]] QString baselineOf(const CompareChoice& choice);
// pinnedFigure(): the figure with the ids of its present runs instead of a filter. followingFigure(): the figure with a
// filter for the experiments of its runs instead of ids. Not for panels. Errors: of the filter; an id that no run has.
[[nodiscard]] Result<FigureSpec> pinnedFigure(const FigureSpec& spec, std::span<const RunItemPtr> all);
[[nodiscard]] Result<FigureSpec> followingFigure(const FigureSpec& spec, std::span<const RunItemPtr> all);

// Figure of the training loss of the experiment of `run`, future runs included; of every run if `run` is null.
[[nodiscard]] FigureSpec figureOfExperiment(const RunItemPtr& run);

// Key of a curve that stays the same when runs are added: the experiment and a number of its configuration.
[[nodiscard]] QString curveKey(const RunItem& run);
// Name that `names` gives to the curve with this key and default name `usual`. It is looked up by either; no-break
// spaces match plain ones. `usual` if it has no entry.
[[nodiscard]] QString nameOfCurve(const std::map<QString, QString>& names, const QString& key, const QString& usual);
// Like nameOfCurve(), for a curve of runs from several experiments, which has a key in each.
[[nodiscard]] QString nameOfCurves(const std::map<QString, QString>& names, std::span<const RunItemPtr> runs,
                                   const QString& usual);
// True if `written` is the key or the default name of the curve.
[[nodiscard]] bool meansCurve(const QString& written, const QString& key, const QString& usual);

}  // namespace dasgd::gui
