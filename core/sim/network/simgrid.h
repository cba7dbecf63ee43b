// SimGrid's engine as this program uses it: the same for a run and for the check of a platform before it.
#pragma once

#include <simgrid/s4u.hpp>

namespace dasgd {

// Seconds: SimGrid's time precision; instants closer than this are equal.
inline constexpr double kSameInstant = 1e-9;

// SimGrid reads its own options from a command line; these are quiet.
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
// acknowledgements that eat bandwidth. SimGrid sets handlers for SIGINT, SIGSEGV and SIGBUS when its engine starts;
// here the process keeps those that it had, so that a crash is seen by its parent. Owner: the main thread.
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
