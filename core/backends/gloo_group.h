// How the ranks of processes meet, and talk through Gloo: the communicator of the backend gloo, and beside that of
// another backend the group for what is in the host's memory.
#pragma once

#include <memory>

#include "core/backends/backend.h"

namespace dasgd {

struct GlooGroup {
    Rendezvous rendezvous;
    Interface interface;  // to which the sockets are bound
    std::unique_ptr<Communicator> comm;
};

// The process has one rank. It meets the others through a file of the run's folder, or where a launcher of others says.
// Blocks until all are there. Errors: a rank that did not come in time.
[[nodiscard]] Result<GlooGroup> meetOverGloo(const HostRequest& request);

}  // namespace dasgd
