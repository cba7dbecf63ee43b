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
#include "gui/models/figures/figure_spec.h"
#include "gui/models/live/curve.h"
#include "gui/models/runs/style_book.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

// Runs of one configuration: a CompareGroup (gui/models/compare/compare_set.h) of a figure.
struct FigureGroup {
    QString key;        // curveKey()
    QString usualName;  // that tells it from the others
    QString name;       // as it is printed
    CurveStyle style;
    std::vector<RunItemPtr> runs;
    std::set<std::string> repeated;  // repeatedOf() (gui/models/compare/compare_set.h)
    std::set<std::string> parts;     // earlierPartsOf()
    bool linkEmulated = false;
    [[nodiscard]] bool simulated() const { return runs.front()->row.timeSimulated; }
    [[nodiscard]] bool counts(const RunItem& run) const { return !repeated.contains(run.row.runId); }
    // Of several runs that count only those that finished make the mean, or all that began; all where none finished.
    [[nodiscard]] bool inMean(const RunItem& run, FigureMembers members = FigureMembers::Finished) const;
};

// What became of some groups.
struct FigureCurves {
    std::vector<Curve> curves;             // of the groups that gave one
    std::vector<std::vector<bool>> taken;  // of each run of each group, whether it is in its curve
    QStringList means;  // of each curve what it is the mean of; none of seeds and ranks by themselves
    QStringList notes;  // what the curves have alike; names the groups without a curve
};

// "seed 3 stopped at step 114".
[[nodiscard]] QString endOf(const RunItem& run);

// Every run of the workspace.
[[nodiscard]] Result<std::vector<RunItemPtr>> allRuns(storage::RunReader& reader);

// `names`: by key or usual name; experiments whose keys have different ones are groups of their own. `all`: of the
// workspace; they decide the styles.
[[nodiscard]] Result<std::vector<FigureGroup>> figureGroups(storage::RunReader& reader,
                                                            std::span<const RunItemPtr> runs,
                                                            std::span<const RunItemPtr> all,
                                                            const std::map<QString, QString>& names);

// What a curve is made of.
struct CurveQuery {
    std::string metric;
    XAxis axis = XAxis::Step;
    double scale = 1;  // of the values
    double smoothing = 0;
    FigureBand band = FigureBand::Std;
    FigureMembers members = FigureMembers::Finished;
    FigureLines lines = FigureLines::Mean;
};

// So many ranks of a run have a curve, the first ones; the notes count the others.
inline constexpr std::size_t kMostRankCurves = 64;

// One metric of each group: a curve where a group is one run, the mean and its band where it is several seeds
// (gui/models/curves/seed_mean.h). Each run is smoothed before the mean is taken. Runs that did not finish are left out
// of a mean, and so are older runs of a seed that was run again; the curve's note names them. Where none finished, or
// where so asked, all are taken as far as all go. Seeds and ranks by themselves are curves of their own, as far as each
// goes, and the notes name the runs that are left out. Groups without the metric give no curve. What the means are of,
// as "mean ± std, n = 3", is behind the name of a curve, and where all curves have it alike in a note instead.
[[nodiscard]] Result<FigureCurves> figureCurves(storage::RunReader& reader, const std::vector<FigureGroup>& groups,
                                                const CurveQuery& query);

}  // namespace dasgd::gui
