// The mean of one metric over runs that differ only in the seed, point by point, and the number of runs in each point.
#pragma once

#include <QString>
#include <span>
#include <vector>

#include "gui/kit/curves/series.h"

namespace dasgd::gui {

struct SeedMean {
    Polyline mean;                  // x: mean of the records' x, so that no point lies outside the recorded range
    std::vector<double> deviation;  // with n − 1; NaN where n is 1
    std::vector<int> n;             // number of runs in each point
    // Least width of the windows in which records were gathered, in the unit of x; 0 if the mean was taken step by
    // step.
    double window = 0;
    bool cut = false;  // records before the first run's end are left out, as not all runs have one near them
    double firstEnd = 0, lastEnd = 0;  // x of the last record of the run that ends first, and last
    // The runs end at places that differ in words.
    [[nodiscard]] bool endsApart() const { return lastEnd - firstEnd > 1e-3 * lastEnd; }
    [[nodiscard]] int fewest() const;
    [[nodiscard]] int most() const;
    // All runs have records, but no stretch of x has records of each, so there is no mean.
    [[nodiscard]] bool nothingShared() const { return cut && mean.x.empty(); }
};

// Explains why a mean has no point, and names axes that may have one: "seeds have no stretch of time in common (…)".
[[nodiscard]] QString nothingSharedInWords(XAxis axis);

// Where the runs recorded at the same steps and x follows from the step (step, epoch, samples), the mean is taken step
// by step; a step that a run lacks between its first and its last record is left out. Else x is divided into equal
// windows, and neighbours are joined until each run has a record in them: each run's records are averaged, then the
// runs, so that n is the number of runs at every point. Nothing is interpolated. Windows before the last run's first
// record are left out, and so are those that cannot be joined to hold all runs.
// Beyond the first run's end the others have another mean, so nothing is drawn there but the last point: the mean of
// the runs' ends, in x and in value, which is the number that tables give. NaN stays NaN. Mean and deviation are
// those of summarise(), to the last bit.
[[nodiscard]] SeedMean seedMean(std::span<const Series* const> runs, XAxis axis);

// The points up to and including this step.
[[nodiscard]] Series upToStep(const Series& series, std::int64_t step);

}  // namespace dasgd::gui
