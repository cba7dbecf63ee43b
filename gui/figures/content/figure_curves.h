// The curves of some runs, read from the store: seeds gathered, styles as in the window.
#pragma once

#include <QString>
#include <QStringList>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/data/runs/style_book.h"
#include "gui/figures/model/figure_spec.h"
#include "gui/kit/curves/curve.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::gui {

// Runs of one configuration: a CompareGroup (gui/compare/model/compare_set.h) of a figure.
struct FigureGroup {
    QString key;        // curveKey()
    QString usualName;  // default name: the settings that tell the group from the others
    QString name;       // the printed name: one that the spec gives, else usualName
    CurveStyle style;
    std::vector<RunItemPtr> runs;
    std::set<std::string> repeated;  // repeatedOf() (gui/compare/model/compare_set.h)
    std::set<std::string> parts;     // earlierPartsOf()
    bool linkEmulated = false;
    [[nodiscard]] bool simulated() const { return runs.front()->row.timeSimulated; }
    [[nodiscard]] bool counts(const RunItem& run) const { return !repeated.contains(run.row.runId); }
    // True for runs that make the mean: finished ones, with AsFarAsAll every one that began. If no run finished, all
    // do. Runs of a seed that was run again never do.
    [[nodiscard]] bool inMean(const RunItem& run, FigureMembers members = FigureMembers::Finished) const;
};

// Result of figureCurves().
struct FigureCurves {
    std::vector<Curve> curves;             // curves of the groups that have the metric
    std::vector<std::vector<bool>> taken;  // by group and run: true if the run is in a curve
    QStringList means;  // meaning of each curve, as "mean ± std, n = 3"; empty for seeds and ranks by themselves
    QStringList notes;  // notes common to all curves, and the names of groups without a curve
};

// Words on the end of a run: "seed 3 stopped at step 114".
[[nodiscard]] QString endOf(const RunItem& run);

// Every run of the workspace.
[[nodiscard]] Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader);

// Groups of `runs` by configuration. `names`: printed names by curveKey() or usual name; experiments whose keys are
// given different names are groups of their own. `all`: every run of the workspace, which decides the styles.
[[nodiscard]] Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader,
                                                            std::span<const RunItemPtr> runs,
                                                            std::span<const RunItemPtr> all,
                                                            const std::map<QString, QString>& names);

// Choice of metric, axis, band and runs from which curves are made.
struct CurveQuery {
    std::string metric;
    XAxis axis = XAxis::Step;
    double scale = 1;  // factor on every value
    double smoothing = 0;
    FigureBand band = FigureBand::Std;
    FigureMembers members = FigureMembers::Finished;
    FigureLines lines = FigureLines::Mean;
};

// Largest number of ranks of a run that get a curve, lowest first; the notes count the others.
inline constexpr std::size_t kMostRankCurves = 64;

// One metric of each group: a curve where a group is one run, the mean and its band where it is several seeds
// (gui/data/curves/seed_mean.h). Each run is smoothed before the mean is taken. Runs that did not finish are left out
// of a mean, and so are older runs of a seed that was run again; the curve's note names them. Where none finished, or
// with FigureMembers::AsFarAsAll, all runs are averaged up to the last step that all have reached. Seeds and ranks by
// themselves are curves of their own, each to its own end, and the notes name the runs that are left out. Groups
// without the metric give no curve. The meaning of a mean, as "mean ± std, n = 3", follows the name of its curve; if
// it is the same for all curves, a note says it once instead.
[[nodiscard]] Result<FigureCurves> figureCurves(storage::WorkspaceReader& reader,
                                                const std::vector<FigureGroup>& groups, const CurveQuery& query);

}  // namespace dasgd::gui
