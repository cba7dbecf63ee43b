// An interval of a run's time line.
#pragma once

#include "core/base/clock.h"

namespace dasgd {

struct TimeRange {
    Ns start = 0;
    Ns end = 0;
};

}  // namespace dasgd
