#include "core/sim/compute/layer_work.h"

#include <numeric>

#include "core/base/check.h"

namespace dasgd {

double LayerWork::forwardFlops() const { return std::accumulate(forward.begin(), forward.end(), 0.0); }

double LayerWork::flops() const { return std::accumulate(backward.begin(), backward.end(), forwardFlops()); }

std::vector<double> sharesOf(const std::vector<double>& work, const std::vector<std::int64_t>& parameterSizes) {
    DASGD_CHECK(work.size() == parameterSizes.size());
    std::vector<double> shares = work;
    double total = std::accumulate(shares.begin(), shares.end(), 0.0);
    if (total == 0) {
        shares.assign(parameterSizes.begin(), parameterSizes.end());
        total = std::accumulate(shares.begin(), shares.end(), 0.0);
    }
    for (double& share : shares) share /= total;
    return shares;
}

}  // namespace dasgd
