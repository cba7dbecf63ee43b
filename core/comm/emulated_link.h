// A slower network than the one at hand: an operation ends no earlier than its α-β time after the real one did.
// Marked 'emulated' wherever its numbers show.
//
// Each rank has one full-duplex port: a queue of what it sends and a queue of what it receives.
//   A message of S bytes occupies the sender's queue and then the receiver's for Sβ each, and ends α after that. It is
//   handed to the real network when the sender's queue is free, so that the receiver sees the sender's other messages
//   too. Messages in opposite directions, and messages of unrelated pairs, do not delay each other.
//   A collective occupies both queues for the whole of its time, from the end of the real one (which tells that the
//   last rank has arrived), in the order in which the real ones end: launch order, of one communicator.
// A collective's seconds are those of core/cost: ring all-reduce, reduce-scatter and all-gather, binomial broadcast,
// direct exchange.
#pragma once

#include <memory>

#include "core/base/clock.h"
#include "core/comm/communicator.h"
#include "core/cost/cost.h"

namespace dasgd {

// Wraps `inner`, whose operations take real time. `link.rho` is not used: adding up takes the time that it really
// takes. `clock` is real and outlives it. Groups that are split off share the port.
[[nodiscard]] std::unique_ptr<Communicator> emulateLink(std::unique_ptr<Communicator> inner, const LinkCost& link,
                                                        Clock& clock);

// Seconds of a collective among `ranks` over `link`.
[[nodiscard]] double collectiveSeconds(const CollectiveCall& call, const LinkCost& link, int ranks);

}  // namespace dasgd
