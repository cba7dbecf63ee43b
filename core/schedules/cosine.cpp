#include <cmath>
#include <numbers>

#include "core/schedules/fraction_schedule.h"

namespace dasgd {
namespace {

struct CosineParams : FractionParams {
    double finalFactor = 0;

    void visit(auto&& f) {
        f(finalFactor, "final_factor", {.min = 0, .max = 1, .help = "Factor that the run ends with"});
        warmup.visit(f);
    }
    [[nodiscard]] double at(double behind) const {
        return finalFactor + (1 - finalFactor) * 0.5 * (1 + std::cos(std::numbers::pi * behind));
    }
};

const ScheduleRegistry::Add<FractionSchedule<CosineParams>, CosineParams> kCosineEntry{
    "cosine", "Half a cosine down to the final factor", "arXiv 1608.03983"};

}  // namespace
}  // namespace dasgd
