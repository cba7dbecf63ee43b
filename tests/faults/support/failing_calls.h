// System calls of a `dasgd` and its children that fail, fall short or lie: failing_calls.cpp is preloaded there, and
// does what a page tells that the test maps as well.
#pragma once

#include <atomic>
#include <cstdint>

namespace dasgd::test {

// Begins as zero bytes, which ask for nothing.
struct CallFaults {
    enum Kind : int { None, WriteError, ShortWrite, SyncError };
    static constexpr const char* kVariable = "DASGD_TEST_CALL_FAULTS";  // path of the page
    static constexpr const char* kSkewVariable = "DASGD_TEST_CALENDAR_SKEW_S";

    char path[256];               // of writes and syncs: a part of the file's path, or with '$' behind it its end
    std::atomic<int> kind, left;  // how many calls are still to suffer it
    std::atomic<std::int64_t> injected;  // calls that did
    // Answer of statfs and fstatfs in the place of the true type; 0: the true one.
    std::atomic<std::int64_t> fileSystemType, typesTold;
    // Added to the calendar (CLOCK_REALTIME), which the variable above also moves for one process.
    std::atomic<std::int64_t> calendarStepNs, calendarsTold;
};

}  // namespace dasgd::test
