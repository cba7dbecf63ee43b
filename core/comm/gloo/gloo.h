// Communication between processes: c10d's Gloo inside LibTorch. On one host every socket stays on loopback; between
// hosts the sockets are bound to one named interface and carry no authentication: for trusted networks.
//
// Collectives run on one thread, in launch order; c10d calls back when one has ended. A reduce-scatter is a direct
// exchange after which each rank adds its rows up pairwise in rank order (c10d's own is an all-reduce); an all-gather
// of unequal shares is a direct exchange too. For messages see gloo_messages.h.
#pragma once

#include <chrono>
#include <memory>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/comm/gloo/interface.h"
#include "core/comm/gloo/rendezvous.h"

namespace dasgd {

struct GlooOptions {
    Rank rank;
    int size = 1;
    Interface interface { "lo", "127.0.0.1" };
    std::chrono::milliseconds timeout{60'000};  // longest time of one operation; waiting ends at most 2 s later
};

// Connects all ranks; blocks until every rank is there. From then on the process ignores SIGPIPE. `clock` outlives the
// communicator; the store behind `rendezvous` must be reachable as long as groups are split off.
[[nodiscard]] Result<std::unique_ptr<Communicator>> makeGloo(const Rendezvous& rendezvous, const GlooOptions& options,
                                                             const Clock& clock);

}  // namespace dasgd
