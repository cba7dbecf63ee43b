// Placement of ranks on GPUs, told to all ranks before they connect by NCCL, whose own error for two ranks on one GPU
// names neither.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/communicator.h"

namespace dasgd {

struct GpuSeat {
    std::string host;  // its name
    std::string boot;  // tells hosts of one name apart; the same in all containers of a host
    std::string gpu;   // its name
    std::string uuid;
};

// This host, without a GPU.
[[nodiscard]] GpuSeat seatOnThisHost();

// Collective over all ranks: the seat of each, in their order. Texts are cut off after 255 bytes. Throws CommError.
[[nodiscard]] std::vector<GpuSeat> gatherSeats(Communicator& comm, const GpuSeat& own);

// Errors, the same on every rank: more than `ranksPerGpu` ranks on a GPU, GPUs that differ where they may not; with
// what to do.
[[nodiscard]] Status checkSeats(const std::vector<GpuSeat>& seats, int ranksPerGpu, bool mixed);

}  // namespace dasgd
