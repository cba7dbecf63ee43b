// The curve of a configuration: the mean over its seeds, and the curve of each seed. Pure.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/compare/model/compare_set.h"
#include "gui/data/curves/seed_mean.h"
#include "gui/kit/curves/curve.h"

namespace dasgd::gui {

// Meaning of a band, a whisker and a ±.
enum class Spread {
    Interval,   // half width of the 95 % interval of the mean, by Student's t
    Deviation,  // standard deviation with n − 1
    None
};

// "step 104", "2.4 s", "1 664 samples".
[[nodiscard]] QString placeInWords(XAxis axis, double x);

struct GroupCurve {
    SeedMean mean;
    std::vector<Polyline> seeds;  // thinned for drawing
    QString note;                 // what it leaves out, in words
    bool whole = false;           // it ends where its runs end, and all of these finished
    bool unclocked = false;  // over training time: some run has records, and none of these recorded its training time

    // Spread at a point of the mean; NaN where n is 1.
    [[nodiscard]] double spreadAt(std::size_t point, Spread spread) const;
    // The point of the mean nearest to x; nullopt beyond its ends.
    [[nodiscard]] std::optional<std::size_t> pointAt(double x) const;
};

struct GroupMember {
    RunItemPtr run;
    Series series;
};

// `members`: the runs that enter the mean; those without a record are left out. `scale` multiplies the values.
// `smoothing`: weight of the moving average applied to each run.
[[nodiscard]] GroupCurve groupCurve(std::vector<GroupMember> members, XAxis axis, double scale, double smoothing = 0);

// The mean as a curve of a chart, with a band where n > 1 and a spread is chosen.
[[nodiscard]] Curve curveOf(const CompareGroup& group, const GroupCurve& made, Spread spread);

}  // namespace dasgd::gui
