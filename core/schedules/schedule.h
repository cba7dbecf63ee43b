// Learning-rate factor over the run, with warm-up.
#pragma once

#include <cstdint>

#include "core/base/registry.h"

namespace dasgd {

class Schedule {
public:
    virtual ~Schedule() = default;
    // Factor on the configured rate for the step that follows `completed` of `total` steps (0 <= completed < total).
    [[nodiscard]] virtual double factor(std::int64_t completed, std::int64_t total) const = 0;
};

using ScheduleRegistry = Registry<Schedule>;

}  // namespace dasgd
