#include "core/schedules/fraction_schedule.h"

namespace dasgd {
namespace {

struct OneCycleParams : FractionParams {
    double startFactor = 0.01;
    double peakAt = 0.25;
    double finalFactor = 0.01;

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

const ScheduleRegistry::Add<FractionSchedule<OneCycleParams>, OneCycleParams> kOneCycleEntry{
    "one-cycle", "Linear up to the configured rate, then linear down", "arXiv 1708.07120"};

}  // namespace
}  // namespace dasgd
