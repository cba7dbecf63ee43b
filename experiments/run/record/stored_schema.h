// Symbols, units and defaults of a run's settings, stored with the run so that showing it needs no list of algorithms.
#pragma once

#include <string>

#include "core/base/schema/value.h"

namespace dasgd::experiments {

// The fields of the resolved experiment that have a symbol or a unit, in the order of the schema, as JSON:
// [{"key": "algorithm.delay", "symbol": "d", "unit": "steps", "default": "1"}, …].
[[nodiscard]] std::string storedSchema(const Value& resolved);

}  // namespace dasgd::experiments
