// Learning-rate factor over the run, with warm-up.
#pragma once

#include <cstdint>

#include "core/base/schema/registry.h"

namespace dasgd {

// Progress of a run.
struct RunProgress {
    std::int64_t completed = 0;  // steps, 0 <= completed < total
    std::int64_t total = 1;
    double epochSteps = 1;  // mean steps of an epoch; below 1 where a step is more than an epoch
};

class Schedule {
public:
    virtual ~Schedule() = default;
    // Factor on the configured rate for the next step.
    [[nodiscard]] virtual double factor(const RunProgress& progress) const = 0;
};

using ScheduleRegistry = Registry<Schedule>;

}  // namespace dasgd
