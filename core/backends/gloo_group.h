// Meeting of ranks that are processes, and their Gloo communicator: that of the backend gloo, and the group for tensors
// in the host's memory beside that of another backend.
#pragma once

#include <memory>

#include "core/backends/backend.h"

namespace dasgd {

struct GlooGroup {
    Rendezvous rendezvous;
    Interface interface;  // the sockets are bound to it
    std::unique_ptr<Communicator> comm;
};

// Joins the other ranks; the process has one rank. They meet through a file in the run's folder, or where another
// launcher says. Blocks until all are there. Errors: a rank that did not come in time.
[[nodiscard]] Result<GlooGroup> meetOverGloo(const HostRequest& request);

}  // namespace dasgd
