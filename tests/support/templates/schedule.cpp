// Falls in a line to 0; made by tests/bench/add_one_of_each.sh.
#include "core/schedules/fraction_schedule.h"

namespace dasgd {
namespace {

struct ExtraScheduleParams : FractionParams {
    void visit(auto&& f) { warmup.visit(f); }
    [[nodiscard]] double at(double behind) const { return 1 - behind; }
};

const ScheduleRegistry::Add<FractionSchedule<ExtraScheduleParams>, ExtraScheduleParams> kExtraScheduleEntry{
    "extra_schedule", "In a line to 0"};

}  // namespace
}  // namespace dasgd
