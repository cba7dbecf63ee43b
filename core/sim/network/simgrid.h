// SimGrid's engine as this program uses it: the same for a run and for the check of a platform before it.
#pragma once

#include <simgrid/s4u.hpp>

namespace dasgd {

// SimGrid's time precision in seconds; instants closer than this are equal.
inline constexpr double kSameInstant = 1e-9;

// Command line from which SimGrid reads its options; these make it quiet.
class SimGridArguments {
public:
    [[nodiscard]] int* count() { return &count_; }
    [[nodiscard]] char** values() { return values_; }

private:
    char program_[6] = "dasgd";
    char quiet_[30] = "--log=root.threshold:critical";
    char* values_[3] = {program_, quiet_, nullptr};
    int count_ = 2;
};

// The engine, one at a time in a process, with pure alpha-beta links: no TCP corrections, no windows, no
// acknowledgements that use bandwidth. SimGrid sets handlers for SIGINT, SIGSEGV and SIGBUS when its engine starts;
// here the process keeps its own, so that its parent sees a crash. Owner: the main thread.
class SimGridEngine {
public:
    SimGridEngine();
    SimGridEngine(const SimGridEngine&) = delete;
    SimGridEngine& operator=(const SimGridEngine&) = delete;
    [[nodiscard]] const simgrid::s4u::Engine* operator->() const { return &engine_; }

private:
    SimGridArguments arguments_;
    simgrid::s4u::Engine engine_;
};

}  // namespace dasgd
