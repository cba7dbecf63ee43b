// `dasgd host-ranks` (hidden): one host of a cluster, as `dasgd run --on` starts it over ssh.
#include "experiments/cluster/host/host_service.h"
#include "experiments/commands/command.h"
#include "experiments/config/checked_experiment.h"

namespace dasgd::experiments {

namespace {

int serveLauncher() {
    StopSignals signals;  // before torch starts a thread
    HostService({.program = kOwnProgram}, signals).serve();
    return kFinished;
}

Action declareHostRanks(CLI::App&) { return serveLauncher; }

const CommandRegistry::Add kHostRanksEntry{{.order = 142, .name = "host-ranks", .declare = declareHostRanks}};

}  // namespace

}  // namespace dasgd::experiments
