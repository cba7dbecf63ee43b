// Meetings of all ranks on a real cluster, as for an evaluation. The ranks resume with the offsets with which they
// arrived: a meeting that let late ranks catch up would hide the waiting that they cause.
#pragma once

#include "core/base/clock.h"
#include "core/comm/communicator.h"

namespace dasgd {

// Instant at which this rank may resume: as much later than the first rank as `arrived`, its arrival at the meeting,
// was later than the first one's. All ranks are past the meeting by then. Instants on rank 0's time line. Collective
// over all ranks; throws CommError.
[[nodiscard]] Ns resumeInstant(Communicator& comm, const Clock& clock, Ns arrived);

// The largest of all ranks' values. Collective over all ranks; throws CommError.
[[nodiscard]] Ns largestOfAll(Communicator& comm, Ns own);

}  // namespace dasgd
