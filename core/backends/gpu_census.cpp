#include "core/backends/gpu_census.h"

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
using Fields = std::array<std::string GpuSeat::*, 4>;
constexpr Fields kFields{&GpuSeat::host, &GpuSeat::boot, &GpuSeat::gpu, &GpuSeat::uuid};
constexpr std::size_t kSeatBytes = kFields.size() * kTextBytes;

}  // namespace

GpuSeat seatOnThisHost() {
    GpuSeat seat;
    seat.host = hostName();
    std::ifstream("/proc/sys/kernel/random/boot_id") >> seat.boot;
    return seat;
}

std::vector<GpuSeat> gatherSeats(Communicator& comm, const GpuSeat& own) {
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
    std::vector<GpuSeat> seats(static_cast<std::size_t>(comm.size()));
    const auto* from = reinterpret_cast<const char*>(all.const_data_ptr<std::uint8_t>());
    for (GpuSeat& seat : seats) {
        for (const auto field : kFields) {
            (seat.*field).assign(from + 1, static_cast<std::uint8_t>(*from));
            from += kTextBytes;
        }
    }
    return seats;
}

Status checkSeats(const std::vector<GpuSeat>& seats, int ranksPerGpu, bool mixed) {
    std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> ranksOf;
    std::vector<std::string> names;
    for (std::size_t rank = 0; rank < seats.size(); ++rank) {
        const GpuSeat& seat = seats[rank];
        ranksOf[{seat.boot, seat.uuid}].push_back(rank);
        if (std::ranges::find(names, seat.gpu) == names.end()) names.push_back(seat.gpu);
    }
    for (const auto& [where, ranks] : ranksOf) {
        if (ranks.size() <= static_cast<std::size_t>(ranksPerGpu)) continue;
        std::string list;
        for (const std::size_t rank : ranks) list += (list.empty() ? "" : ", ") + std::to_string(rank);
        return fail("the ranks " + list + " are on one GPU of " + seats[ranks.front()].host + " and ranks_per_gpu is " +
                    std::to_string(ranksPerGpu) +
                    ": give each its own by LOCAL_RANK or CUDA_VISIBLE_DEVICES, or set ranks_per_gpu = " +
                    std::to_string(ranks.size()) + " in [cluster]");
    }
    if (names.size() > 1 && !mixed) return tl::unexpected(mixedGpus(names));
    return {};
}

}  // namespace dasgd
