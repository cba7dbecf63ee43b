#include "core/cost/uneven_gather.h"

#include <algorithm>

#include "core/base/check.h"

namespace dasgd {

double paddedGatherSeconds(const LinkCost& link, const std::vector<double>& bytesOf) {
    DASGD_CHECK(!bytesOf.empty());
    return allGatherSeconds(link, *std::ranges::max_element(bytesOf), static_cast<int>(bytesOf.size()));
}

double broadcastsGatherSeconds(const LinkCost& link, const std::vector<double>& bytesOf) {
    double sum = 0;
    for (const double bytes : bytesOf) sum += broadcastSeconds(link, bytes, static_cast<int>(bytesOf.size()));
    return sum;
}

UnevenGather cheaperGather(const LinkCost& link, const std::vector<double>& bytesOf) {
    const double padded = paddedGatherSeconds(link, bytesOf), broadcasts = broadcastsGatherSeconds(link, bytesOf);
    if (broadcasts < padded) return {UnevenGather::Way::Broadcasts, broadcasts};
    return {UnevenGather::Way::Padded, padded};
}

}  // namespace dasgd
