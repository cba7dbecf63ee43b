// An instant of a run on the x axis of its curves, and back.
#pragma once

#include <optional>
#include <vector>

#include "core/base/clock.h"
#include "gui/models/curves/training_time.h"
#include "gui/models/live/series.h"

namespace dasgd::gui {

// Over the wall time the instant itself in seconds. Else by the points around it, as if progress between two of them
// were even; of steps and samples the one under way. nullopt before the first point and after the last. Over the time
// of training what `clock` says of the instant; nullopt without one.
[[nodiscard]] std::optional<double> xAtInstant(const std::vector<SeriesPoint>& points, Ns at, XAxis axis,
                                               const std::optional<TrainingClock>& clock = {});

// When the first point at or after x was recorded; over the wall time x itself. nullopt after the last point, and over
// the time of training without a clock.
[[nodiscard]] std::optional<Ns> instantAtX(const std::vector<SeriesPoint>& points, double x, XAxis axis,
                                           const std::optional<TrainingClock>& clock = {});

// Gives a record that knows only its instant the epoch, samples and bytes of that instant, by the points around it;
// before the first point and after the last those of that point. Nothing where there are no points.
void placeAmong(const std::vector<SeriesPoint>& points, storage::MetricSample& record);

}  // namespace dasgd::gui
