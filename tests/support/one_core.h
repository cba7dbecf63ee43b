// Pinning of benchmarks to one processor core, which they state.
#pragma once

#include <sched.h>

#include "core/base/check.h"

namespace dasgd::test {

// Keeps the calling thread on the core that it is on. Threads and processes that it starts afterwards stay there too;
// those that it has started already do not.
inline void stayOnOneCore() {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    DASGD_CHECK(sched_setaffinity(0, sizeof set, &set) == 0);
}

}  // namespace dasgd::test
