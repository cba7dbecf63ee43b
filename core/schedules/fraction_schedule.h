// Schedules that depend on the completed fraction of the run, with a linear warm-up.
#pragma once

#include <optional>

#include "core/schedules/schedule.h"

namespace dasgd {

// Factor on the schedule: warmup_factor before the first step, rising to 1 at the end of the warm-up, whose length is
// given in steps or in epochs. The schedule after the warm-up is the same as without one.
struct Warmup {
    std::int64_t warmupSteps = 0;
    double warmupEpochs = 0;
    double warmupFactor = 0.1;

    void visit(auto&& f) {
        f(warmupSteps, "warmup_steps",
          {.min = 0, .max = 1e12, .unit = "steps", .help = "Length of the linear warm-up"});
        f(warmupEpochs, "warmup_epochs",
          {.min = 0, .max = 1e9, .unit = "epochs", .help = "The same in epochs; give this or warmup_steps"});
        f(warmupFactor, "warmup_factor", {.min = 0, .max = 1, .help = "Factor of the first step"});
    }
    [[nodiscard]] std::optional<FieldError> check() const {
        if (warmupSteps == 0 || warmupEpochs == 0) return std::nullopt;
        return FieldError{"warmup_epochs", "warmup_steps and warmup_epochs are both given; keep one of them"};
    }
    [[nodiscard]] double at(const RunProgress& progress) const {
        const double length = warmupEpochs > 0 ? warmupEpochs * progress.epochSteps : static_cast<double>(warmupSteps);
        const auto completed = static_cast<double>(progress.completed);
        if (completed >= length) return 1;
        return warmupFactor + (1 - warmupFactor) * completed / length;
    }
};

// The settings of every such schedule derive from this, so that none lacks the check of its warm-up.
struct FractionParams {
    Warmup warmup;

    [[nodiscard]] std::optional<FieldError> check() const { return warmup.check(); }
};

// A schedule as a function of the completed fraction of the run: P::at(0) … P::at(1).
template <class P>
class FractionSchedule final : public Schedule {
public:
    explicit FractionSchedule(const P& params) : params_(params) {}
    double factor(const RunProgress& progress) const override {
        const double behind = static_cast<double>(progress.completed) / static_cast<double>(progress.total);
        return params_.at(behind) * params_.warmup.at(progress);
    }

private:
    P params_;
};

}  // namespace dasgd
