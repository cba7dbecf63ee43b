#include "core/backends/gpu_placement.h"

#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <map>
#include <utility>

#include "core/backends/gpu_runtime.h"
#include "core/base/host_name.h"

namespace dasgd {

namespace {

// Wire format of a text: its length, then its bytes.
constexpr std::size_t kTextBytes = 256;
using Fields = std::array<std::string GpuPlacement::*, 4>;
constexpr Fields kFields{&GpuPlacement::host, &GpuPlacement::boot, &GpuPlacement::gpu, &GpuPlacement::uuid};
constexpr std::size_t kSeatBytes = kFields.size() * kTextBytes;

}  // namespace

GpuPlacement placementOnThisHost() {
    GpuPlacement placement;
    placement.host = hostName();
    std::ifstream("/proc/sys/kernel/random/boot_id") >> placement.boot;
    return placement;
}

std::vector<GpuPlacement> gatherPlacements(Communicator& comm, const GpuPlacement& own) {
    const at::Tensor mine = torch::zeros({static_cast<std::int64_t>(kSeatBytes)}, torch::kByte);
    auto* bytes = mine.data_ptr<std::uint8_t>();
    for (const auto field : kFields) {
        const std::string text = (own.*field).substr(0, kTextBytes - 1);
        *bytes = static_cast<std::uint8_t>(text.size());
        std::memcpy(bytes + 1, text.data(), text.size());
        bytes += kTextBytes;
    }
    at::Tensor all = torch::zeros({comm.size(), static_cast<std::int64_t>(kSeatBytes)}, torch::kByte);
    Pending gathered = comm.allGather(mine, all);
    gathered.wait();
    std::vector<GpuPlacement> placements(static_cast<std::size_t>(comm.size()));
    const auto* from = reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>());
    for (GpuPlacement& placement : placements) {
        for (const auto field : kFields) {
            (placement.*field).assign(from + 1, static_cast<std::uint8_t>(*from));
            from += kTextBytes;
        }
    }
    return placements;
}

Status checkPlacements(const std::vector<GpuPlacement>& placements, int ranksPerGpu, bool mixed) {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> ranksOf;
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < placements.size(); ++rank) {
        const GpuPlacement& placement = placements[rank];
        ranksOf[{placement.boot, placement.uuid}].push_back(rank);
        if (std::ranges::find(names, placement.gpu) == names.end()) names.push_back(placement.gpu);
    }
    for (const auto& [where, ranks] : ranksOf) {
        if (ranks.size() <= static_cast<std::size_t>(ranksPerGpu)) continue;
        std::string list;
        for (const std::size_t rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
        return fail("the ranks " + list + " are on one GPU of " + placements[ranks.front()].host +
                    " and ranks_per_gpu is " + std::to_string(ranksPerGpu) +
                    ": give each its own by LOCAL_RANK or CUDA_VISIBLE_DEVICES, or set ranks_per_gpu = " +
                    std::to_string(ranks.size()) + " in [cluster]");
    }
    if (names.size() > 1 && !mixed) return tl::unexpected(mixedGpus(names));
    return {};
}

}  // namespace dasgd
