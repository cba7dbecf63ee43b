#include "core/cost/compressed_exchange.h"

#include "core/base/check.h"

namespace dasgd {

double stageSeconds(const CompressedExchange::Stage& stage, const AllReduceKind& kind, const LinkCost& link,
                    int ranks) {
    using Collective = CompressedExchange::Collective;
    const auto bytes = static_cast<double>(stage.bytes);
    switch (stage.collective) {
        case Collective::AllReduce: return allReduceSeconds(kind, link, bytes, ranks);
        case Collective::AllGather: return allGatherSeconds(link, bytes, ranks);
        case Collective::AllToAll: return allToAllSeconds(link, bytes, ranks);
    }
    DASGD_CHECK(false && "a collective outside the enumeration");
    return 0;
}

std::int64_t sentInStage(const CompressedExchange::Stage& stage, int ranks) {
    using Collective = CompressedExchange::Collective;
    switch (stage.collective) {
        case Collective::AllReduce: return 2 * stage.bytes * (ranks - 1) / ranks;
        case Collective::AllGather: return stage.bytes * (ranks - 1);
        case Collective::AllToAll: return stage.bytes / ranks * (ranks - 1);
    }
    DASGD_CHECK(false && "a collective outside the enumeration");
    return 0;
}

}  // namespace dasgd
