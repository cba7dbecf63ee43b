#include "core/sim/network/simgrid.h"

#include <array>
#include <csignal>

namespace dasgd {

namespace {

// The process's actions for the signals that SimGrid takes: kept, and restored at the end.
class KeptSignalActions {
public:
    KeptSignalActions() {
        for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], nullptr, &kept_[i]);
    }
    ~KeptSignalActions() {
        for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], &kept_[i], nullptr);
    }
    KeptSignalActions(const KeptSignalActions&) = delete;
    KeptSignalActions& operator=(const KeptSignalActions&) = delete;

private:
    static constexpr std::array kTaken{SIGINT, SIGSEGV, SIGBUS};
    std::array<struct sigaction, kTaken.size()> kept_{};
};

simgrid::s4u::Engine start(SimGridArguments& arguments) {
    const KeptSignalActions keep;
    return simgrid::s4u::Engine(arguments.count(), arguments.values());
}

}  // namespace

SimGridEngine::SimGridEngine() : engine_(start(arguments_)) {
    simgrid::s4u::Engine::set_config("network/model:CM02");
    simgrid::s4u::Engine::set_config("network/crosstraffic:0");
    simgrid::s4u::Engine::set_config("network/TCP-gamma:0");
}

}  // namespace dasgd
