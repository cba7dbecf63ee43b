// The mean of one metric over runs that differ only in the seed, point by point, with how many runs made each point.
#pragma once

#include <span>
#include <vector>

#include "gui/models/live/series.h"

namespace dasgd::gui {

struct SeedMean {
    Polyline mean;                  // x: the mean of the records' own, so that no point lies beyond what was recorded
    std::vector<double> deviation;  // with n − 1; NaN where n is 1
    std::vector<int> n;             // runs in the point
    // The width of the windows in which records were gathered, in the unit of x; 0 where the runs were taken step by
    // step.
    double window = 0;
    bool cut = false;  // some runs begin earlier or end later than others: what not all of them cover is not in it
    [[nodiscard]] int fewest() const;
    [[nodiscard]] int most() const;
};

// Where the runs recorded at the same steps and x follows from the step (step, epoch, samples), the mean is taken step
// by step. Else x is divided into equal windows: each run's records of a window are averaged, then the runs. A run
// that recorded nothing at a step or in a window is not in that point; nothing is interpolated. Windows before the last
// run's first record and after the first run's end are left out. NaN stays NaN.
[[nodiscard]] SeedMean seedMean(std::span<const Series* const> runs, XAxis axis);

// The points up to and including this step.
[[nodiscard]] Series upToStep(const Series& series, std::int64_t step);

}  // namespace dasgd::gui
