#include "core/schedules/fraction_schedule.h"

namespace dasgd {
namespace {

struct ConstantParams : FractionParams {
    void visit(auto&& f) { warmup.visit(f); }
    [[nodiscard]] double at(double) const { return 1; }
};

const ScheduleRegistry::Add<FractionSchedule<ConstantParams>, ConstantParams> kConstantEntry{"constant",
                                                                                             "The configured rate"};

}  // namespace
}  // namespace dasgd
