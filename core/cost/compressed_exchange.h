// One exchange of compressed vectors in plain numbers: what its collectives move, and how often coding goes over
// memory. core/compression says them of a model (sent_bytes.h), `dasgd run --dry-run --json` publishes them, and
// forecasts read them. No torch.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/cost.h"

namespace dasgd {

struct CompressedExchange {
    enum class Collective : std::uint8_t { AllReduce, AllGather, AllToAll };
    // `bytes` are those that each rank gives: its message, or of an all-to-all those to all ranks, its own included.
    struct Stage {
        Collective collective{};
        std::int64_t bytes = 0;
    };
    // Passes over the memory of the uncompressed vector: before the first stage, between the two, and at the end.
    struct Passes {
        double encode = 0, recode = 0, decode = 0;
    };

    std::string why;            // reason why exchanges are not all of these sizes, and have no formula; "": they are
    std::vector<Stage> stages;  // one, or two; all ranks wait for the first before the second begins
    Passes passes;
    std::int64_t wholeSteps = 0;  // exchanges of the first steps travel whole
};
inline constexpr std::array<std::string_view, 3> kCompressedCollectiveNames{"all-reduce", "all-gather", "all-to-all"};
[[nodiscard]] constexpr std::string_view nameOf(CompressedExchange::Collective collective) {
    return kCompressedCollectiveNames[static_cast<std::size_t>(collective)];
}

// Seconds of a stage; an all-reduce is of `kind`.
[[nodiscard]] double stageSeconds(const CompressedExchange::Stage& stage, const AllReduceKind& kind,
                                  const LinkCost& link, int ranks);
// Bytes that a rank puts on the wire in a stage, an all-reduce being a ring: 2m(P−1)/P, m(P−1), and of an all-to-all
// m(P−1)/P.
[[nodiscard]] std::int64_t sentInStage(const CompressedExchange::Stage& stage, int ranks);

}  // namespace dasgd
