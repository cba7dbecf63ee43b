// The mean of one metric over runs that differ only in the seed, point by point, with how many runs made each point.
#pragma once

#include <QString>
#include <span>
#include <vector>

#include "gui/models/live/series.h"

namespace dasgd::gui {

struct SeedMean {
    Polyline mean;                  // x: the mean of the records' own, so that no point lies beyond what was recorded
    std::vector<double> deviation;  // with n − 1; NaN where n is 1
    std::vector<int> n;             // runs in the point
    // The least width of the windows in which records were gathered, in the unit of x; 0 where the runs were taken step
    // by step.
    double window = 0;
    bool cut = false;  // some records are not in it, as not all runs have one beside them
    [[nodiscard]] int fewest() const;
    [[nodiscard]] int most() const;
    // There are records, and no stretch of x that each run has some of: no mean, where the runs have curves.
    [[nodiscard]] bool nothingShared() const { return cut && mean.x.empty(); }
};

// Why such a mean has no point, and over what it may have some: "seeds have no stretch of time in common (…)".
[[nodiscard]] QString nothingSharedInWords(XAxis axis);

// Where the runs recorded at the same steps and x follows from the step (step, epoch, samples), the mean is taken step
// by step; a step that a run lacks between its first and its last record is left out. Else x is divided into equal
// windows, and neighbours are joined until each run has a record in them: each run's records are averaged, then the
// runs, so that n is the number of runs at every point. Nothing is interpolated. Windows before the last run's first
// record and after the first run's end are left out, and so are those that cannot be joined to hold all runs. NaN stays
// NaN.
[[nodiscard]] SeedMean seedMean(std::span<const Series* const> runs, XAxis axis);

// The points up to and including this step.
[[nodiscard]] Series upToStep(const Series& series, std::int64_t step);

}  // namespace dasgd::gui
