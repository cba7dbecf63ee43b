#include <vector>

#include "core/schedules/fraction_schedule.h"

namespace dasgd {
namespace {

struct StepParams : FractionParams {
    std::vector<double> milestones{0.5, 0.75};
    double gamma = 0.1;

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

const ScheduleRegistry::Add<FractionSchedule<StepParams>, StepParams> kStepEntry{
    "step", "Drops by a factor at given fractions of the run"};

}  // namespace
}  // namespace dasgd
