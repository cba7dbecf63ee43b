// Schedules that depend on how much of the run is behind, with a linear warm-up.
#pragma once

#include "core/schedules/schedule.h"

namespace dasgd {

// Multiplies the schedule: warmup_factor before the first step, 1 from step warmup_steps on. After it the schedule is
// what it would be without.
struct Warmup {
    std::int64_t warmupSteps = 0;
    double warmupFactor = 0.1;

    void visit(auto&& f) {
        f(warmupSteps, "warmup_steps",
          {.min = 0, .max = 1e12, .unit = "steps", .help = "Length of the linear warm-up"});
        f(warmupFactor, "warmup_factor", {.min = 0, .max = 1, .help = "Factor of the first step"});
    }
    [[nodiscard]] double at(std::int64_t completed) const {
        if (completed >= warmupSteps) return 1;
        return warmupFactor + (1 - warmupFactor) * static_cast<double>(completed) / static_cast<double>(warmupSteps);
    }
};

// A schedule as a function of how much of the run is behind: P::at(0) … P::at(1).
template <class P>
class FractionSchedule final : public Schedule {
public:
    explicit FractionSchedule(const P& params) : params_(params) {}
    double factor(std::int64_t completed, std::int64_t total) const override {
        const double behind = static_cast<double>(completed) / static_cast<double>(total);
        return params_.at(behind) * params_.warmup.at(completed);
    }

private:
    P params_;
};

}  // namespace dasgd
