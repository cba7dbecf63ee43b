// The curve of a configuration: the mean over its seeds with what it is of, and the seeds themselves. Pure.
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "gui/models/compare/compare_set.h"
#include "gui/models/curves/seed_mean.h"
#include "gui/models/live/curve.h"

namespace dasgd::gui {

// What a band, a whisker and a ± are.
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
    bool whole = false;           // its end is that of its runs, all of which finished
    bool unclocked = false;       // over training time: its runs have records, and none tells how long it has trained

    // At a point of the mean; NaN where n is 1.
    [[nodiscard]] double spreadAt(std::size_t point, Spread spread) const;
    // The point of the mean next to x; nullopt beyond its ends.
    [[nodiscard]] std::optional<std::size_t> pointAt(double x) const;
};

struct GroupMember {
    RunItemPtr run;
    Series series;
};

// `members` are those that the group takes; ones without a record are left out. `scale` multiplies the values.
// `smoothing`: weight of the moving average that each run is replaced by.
[[nodiscard]] GroupCurve groupCurve(std::vector<GroupMember> members, XAxis axis, double scale, double smoothing = 0);

// As it is drawn: a band where there is a spread, none where n is 1.
[[nodiscard]] Curve curveOf(const CompareGroup& group, const GroupCurve& made, Spread spread);

}  // namespace dasgd::gui
