// Schedules by name.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/schedules/schedule.h"

namespace dasgd::test {

inline std::unique_ptr<Schedule> createSchedule(const std::string& name, const Value& fields = {}) {
    return std::move(ScheduleRegistry::find(name)->create(fields, {}).value());
}

}  // namespace dasgd::test
