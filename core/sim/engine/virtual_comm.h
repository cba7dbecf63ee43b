// Communicator of a rank of the virtual cluster.
#pragma once

#include <memory>

#include "core/comm/communicator.h"

namespace dasgd {

class RankActor;

// `actor` outlives it.
[[nodiscard]] std::unique_ptr<Communicator> makeVirtualCommunicator(RankActor& actor);

}  // namespace dasgd
