// After an evaluation, for which all ranks meet on a real cluster, they go on as far apart as they came: a meeting that
// let late ranks catch up would hide the waiting that they cause.
#pragma once

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

// When this rank may go on: so much later than the first rank as `arrived`, the instant at which it came to the
// meeting, was later than the first one's. All ranks are past the meeting by then. Instants on rank 0's time line.
// Collective over all ranks; throws CommError.
[[nodiscard]] Ns resumeInstant(Communicator& comm, const Clock& clock, Ns arrived);

// The largest of all ranks' values, on all of them. Collective over all ranks; throws CommError.
[[nodiscard]] Ns largestOfAll(Communicator& comm, Ns own);

}  // namespace dasgd
