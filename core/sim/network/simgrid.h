// How SimGrid is set up: the same for a run and for the check of a platform before it.
#pragma once

#include <simgrid/s4u.hpp>

namespace dasgd {

// Pure alpha-beta links: no TCP corrections, no windows, no acknowledgements that eat bandwidth. Once an engine is
// there; what a platform file asks for instead does not count.
inline void configureSimGrid() {
    simgrid::s4u::Engine::set_config("network/model:CM02");
    simgrid::s4u::Engine::set_config("network/crosstraffic:0");
    simgrid::s4u::Engine::set_config("network/TCP-gamma:0");
}

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

}  // namespace dasgd
