// The curve of a configuration, on pages and in figures: read run by run, averaged over the seeds, styled as its group.
#pragma once

#include <QString>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "gui/compare/model/compare_set.h"
#include "gui/data/curves/seed_mean.h"
#include "gui/data/curves/spread.h"
#include "gui/kit/curves/curve.h"
#include "storage/read/workspace_reader.h"

namespace dasgd::gui {

// A metric over an axis, smoothed or not.
struct CompareCurveKey {
    std::string metric;
    XAxis axis = XAxis::Step;
    double smoothing = 0;  // weight of the moving average applied to each run before the mean
    auto operator<=>(const CompareCurveKey&) const = default;
};

struct GroupMember {
    RunItemPtr run;
    Series series;           // smoothed, in the unit of the metric's words
    bool unclocked = false;  // over training time: it has records and no training time
};

// The records of a run for a curve; metrics over spans are computed. Errors: of the database.
[[nodiscard]] Result<GroupMember> readMember(storage::WorkspaceReader& reader, const RunItemPtr& run,
                                             const CompareCurveKey& key);

// "step 104", "2.4 s", "1 664 samples".
[[nodiscard]] QString placeInWords(XAxis axis, double x);

struct GroupCurve {
    SeedMean mean;
    std::vector<RunItemPtr> runs;  // in the mean
    std::vector<Polyline> seeds;   // of `runs`, thinned for drawing
    QString note;                  // what it leaves out, in words
    bool whole = false;            // all of its runs finished
    bool unclocked = false;  // over training time: some run has records, and none of these recorded its training time

    // Spread at a point of the mean; NaN where there is none.
    [[nodiscard]] double spreadAt(std::size_t point, Spread spread) const;
    // The point of the mean nearest to x; nullopt beyond its ends.
    [[nodiscard]] std::optional<std::size_t> pointAt(double x) const;
};

// `members`: the runs that enter the mean; those without a record are left out. Where some did not finish, the mean
// ends with the last step that all have reached. `buckets`: of the thinned curves of the seeds.
[[nodiscard]] GroupCurve groupCurve(std::vector<GroupMember> members, XAxis axis, std::size_t buckets = 400);

// The mean as a curve of a chart, with its spread. Behind it are its seeds if `seeds` is set or they are two, whose
// spread says nothing else.
[[nodiscard]] Curve curveOf(const CompareGroup& group, const GroupCurve& made, Spread spread, bool seeds = false);

}  // namespace dasgd::gui
