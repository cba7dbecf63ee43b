// Conversion between an instant of a run and the x of its curves.
#pragma once

#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "gui/data/curves/training_time.h"
#include "gui/kit/curves/series.h"

namespace dasgd::gui {

// x of the instant `at`. Wall time: the instant in seconds. Training time: as `clock` says; nullopt without one. Other
// axes: interpolated linearly between the points around it; steps and samples are rounded up to the one under way.
// nullopt before the first point and after the last.
[[nodiscard]] std::optional<double> xAtInstant(const std::vector<SeriesPoint>& points, Ns at, XAxis axis,
                                               const std::optional<TrainingClock>& clock = {});

// Instant of the first point at or after x; for wall time x itself. nullopt after the last point, and for training time
// without a clock.
[[nodiscard]] std::optional<Ns> instantAtX(const std::vector<SeriesPoint>& points, double x, XAxis axis,
                                           const std::optional<TrainingClock>& clock = {});

// Fills epoch, samples and bytes of a record that knows only its instant, from the points around it; before the first
// point and after the last they are those of that point. Does nothing without points.
void placeAmong(const std::vector<SeriesPoint>& points, storage::MetricSample& record);

}  // namespace dasgd::gui
