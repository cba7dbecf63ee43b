#include "core/experiment/checkpoint_params.h"

#include <charconv>
#include <string_view>

#include "core/base/schema/units.h"

namespace dasgd {

namespace {

Result<CheckpointInterval> parse(const std::string& text) {
    std::int64_t steps = 0;
    const char* end = text.data() + text.size();
    const auto number = std::from_chars(text.data(), end, steps);
    std::string_view unit(number.ptr, static_cast<std::size_t>(end - number.ptr));
    if (unit.starts_with(' ')) unit.remove_prefix(1);
    if (number.ec == std::errc() && (unit == "steps" || unit == "step")) {
        if (steps < 1) return fail("allowed: 1 step or more");
        return CheckpointInterval{.steps = steps};
    }
    DASGD_ASSIGN(const double seconds, parseDuration(text));
    if (seconds < 1 || seconds > 1e9) return fail("allowed: 1s or more");
    return CheckpointInterval{.time = static_cast<Ns>(seconds * 1e9)};
}

}  // namespace

std::optional<FieldError> CheckpointParams::check() const {
    const auto parsed = parse(every);
    if (parsed) return std::nullopt;
    return FieldError{"every", "every is '" + every + "': " + parsed.error().message +
                                   R"(. Write a time, "10min", or steps, "500 steps")"};
}

CheckpointInterval CheckpointParams::interval() const { return parse(every).value_or(CheckpointInterval{}); }

}  // namespace dasgd
