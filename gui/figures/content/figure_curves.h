// The curves of some runs for a figure: those of the Compare page (gui/compare/model/group_curve.h), or each seed or
// rank by itself.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <span>
#include <vector>

#include "core/base/result.h"
#include "gui/compare/model/group_curve.h"
#include "gui/figures/model/figure_spec.h"

namespace dasgd::gui {

// Result of figureCurves().
struct FigureCurves {
    std::vector<Curve> curves;             // curves of the groups that have the metric
    std::vector<std::vector<bool>> taken;  // by group and run: true if the run is in a curve
    QStringList means;  // meaning of each curve, as "mean ± std, n = 3"; empty for seeds and ranks by themselves
    QStringList notes;  // notes common to all curves, and the names of groups without a curve
};

// Every run of the workspace.
[[nodiscard]] Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader);

// The configurations of `runs`, as on the Compare page. `names`: printed names by curveKey() or usual name. `all`:
// every run of the workspace, which decides the styles.
[[nodiscard]] std::vector<CompareGroup> figureGroups(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                                     const std::map<QString, QString>& names);
// The same, with experiments whose keys are given different names as groups of their own: such names mean a comparison,
// as of before and after a change of the code, so neither run counts as a repetition of the other.
[[nodiscard]] std::vector<CompareGroup> groupsApart(std::span<const RunItemPtr> runs, std::span<const RunItemPtr> all,
                                                    const std::map<QString, QString>& names);

inline constexpr std::size_t kPaperBuckets = 1000;  // about 2,000 points a curve: more than a printer resolves
// Largest number of ranks of a run that get a curve, lowest first; the notes count the others.
inline constexpr std::size_t kMostRankCurves = 64;

// One metric of each group, by metric, axis, smoothing, band, members and lines of `spec`. The curve's note names the
// runs that are left out of a mean. Seeds and ranks by themselves are curves of their own, each to its own end, and the
// notes name the runs that are left out. Groups without the metric give no curve. The meaning of a mean, as "mean ±
// std, n = 3", follows the name of its curve; if it is the same for all curves, a note says it once instead.
[[nodiscard]] Result<FigureCurves> figureCurves(storage::WorkspaceReader& reader,
                                                const std::vector<CompareGroup>& groups, const FigureSpec& spec);

}  // namespace dasgd::gui
