// Units of time for tests.
#pragma once

#include "core/base/clock.h"

namespace dasgd::test {

inline constexpr Ns kMs = 1'000'000;

}  // namespace dasgd::test
