// record.profile: the steps that are profiled.
#pragma once

#include <cstdint>

#include "core/base/schema/fields.h"

namespace dasgd {

struct ProfileParams {
    std::int64_t first = 20;
    std::int64_t steps = 3;
    void visit(auto&& f) {
        f(first, "first", {.min = 1, .max = 1e9, .unit = "steps", .help = "The first profiled step"});
        f(steps, "steps", {.min = 1, .max = 100, .unit = "steps", .help = "Number of consecutive steps"});
    }
    [[nodiscard]] std::int64_t last() const { return first + steps - 1; }
};

}  // namespace dasgd
