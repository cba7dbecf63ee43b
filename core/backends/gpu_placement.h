// Placement of ranks on GPUs, told to all ranks before they connect by NCCL, whose own error for two ranks on one GPU
// names neither.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/comm/communicator.h"

namespace dasgd {

struct GpuPlacement {
    std::string host;  // its name
    std::string boot;  // tells hosts of one name apart; the same in all containers of a host
    std::string gpu;   // its name
    std::string uuid;
};

// This host, without a GPU.
[[nodiscard]] GpuPlacement placementOnThisHost();

// Collective over all ranks: the placement of each, in their order. Texts are cut off after 255 bytes. Throws
// CommError.
[[nodiscard]] std::vector<GpuPlacement> gatherPlacements(Communicator& comm, const GpuPlacement& own);

// Errors, the same on every rank: more than `ranksPerGpu` ranks on a GPU, GPUs that differ where they may not; with
// what to do.
[[nodiscard]] Status checkPlacements(const std::vector<GpuPlacement>& placements, int ranksPerGpu, bool mixed);

}  // namespace dasgd
