#include "core/cost/bucket_plan.h"

namespace dasgd {

std::vector<PlannedBucket> planBuckets(const std::vector<double>& parameterBytes, double firstLimit, double limit) {
    std::vector<PlannedBucket> buckets;
    PlannedBucket open{.last = parameterBytes.size()};
    for (std::size_t i = parameterBytes.size(); i-- > 0;) {
        open.first = i;
        open.bytes += parameterBytes[i];
        if (open.bytes < (buckets.empty() ? firstLimit : limit) && i > 0) continue;
        buckets.push_back(open);
        open = {.last = i};
    }
    return buckets;
}

}  // namespace dasgd
