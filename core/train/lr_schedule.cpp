#include "core/train/lr_schedule.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace dasgd {
namespace {

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

struct ConstantParams {
    Warmup warmup;
    void visit(auto&& f) { warmup.visit(f); }
    [[nodiscard]] double at(double) const { return 1; }
};

struct StepParams {
    std::vector<double> milestones{0.5, 0.75};
    double gamma = 0.1;
    Warmup warmup;

    void visit(auto&& f) {
        f(milestones, "milestones", {.min = 0, .max = 1, .help = "Fractions of the run at which the rate drops"});
        f(gamma, "gamma", {.min = 0, .max = 1, .help = "Multiplies the rate at each milestone"});
        warmup.visit(f);
    }
    [[nodiscard]] double at(double behind) const {
        double factor = 1;
        for (const double milestone : milestones) factor *= behind >= milestone ? gamma : 1;
        return factor;
    }
};

struct CosineParams {
    double finalFactor = 0;
    Warmup warmup;

    void visit(auto&& f) {
        f(finalFactor, "final_factor", {.min = 0, .max = 1, .help = "Factor that the run ends with"});
        warmup.visit(f);
    }
    [[nodiscard]] double at(double behind) const {
        return finalFactor + (1 - finalFactor) * 0.5 * (1 + std::cos(std::numbers::pi * behind));
    }
};

struct OneCycleParams {
    double startFactor = 0.01;
    double peakAt = 0.25;
    double finalFactor = 0.01;
    Warmup warmup;

    void visit(auto&& f) {
        f(startFactor, "start_factor", {.min = 0, .max = 1, .help = "Factor of the first step"});
        f(peakAt, "peak_at", {.min = 0, .max = 1, .help = "Fraction of the run at which the factor is 1"});
        f(finalFactor, "final_factor", {.min = 0, .max = 1, .help = "Factor that the run ends with"});
        warmup.visit(f);
    }
    [[nodiscard]] double at(double behind) const {
        if (behind < peakAt) return startFactor + (1 - startFactor) * behind / peakAt;
        if (peakAt == 1) return 1;
        return 1 + (finalFactor - 1) * (behind - peakAt) / (1 - peakAt);
    }
};

const ScheduleRegistry::Add<FractionSchedule<ConstantParams>, ConstantParams> kAddConstant{"constant",
                                                                                           "The configured rate"};
const ScheduleRegistry::Add<FractionSchedule<StepParams>, StepParams> kAddStep{
    "step", "Drops by a factor at given fractions of the run"};
const ScheduleRegistry::Add<FractionSchedule<CosineParams>, CosineParams> kAddCosine{
    "cosine", "Half a cosine down to the final factor", "arXiv 1608.03983"};
const ScheduleRegistry::Add<FractionSchedule<OneCycleParams>, OneCycleParams> kAddOneCycle{
    "one-cycle", "Linear up to the configured rate, then linear down", "arXiv 1708.07120"};

}  // namespace
}  // namespace dasgd
