#include "core/cost/memory/sizing.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace dasgd {

double hybridBytes(double inputs, double outputs, double minibatch, int groups, int ranks, double overlap) {
    DASGD_CHECK(groups >= 1 && groups <= ranks && overlap >= 0 && overlap <= 1);
    const double activations = groups < ranks ? 8 * inputs * minibatch / groups : 0;
    const double weights = groups > 1 ? 4 * (2 - overlap) * inputs * outputs * groups / ranks : 0;
    return activations + weights;
}

double dividedEfficiency(double overheadRatio, std::int64_t workers) {
    DASGD_CHECK(overheadRatio >= 0 && workers >= 1);
    return (1 + overheadRatio) / (1 + static_cast<double>(workers) * overheadRatio);
}

std::optional<std::int64_t> workersForEfficiency(double overheadRatio, double efficiency) {
    DASGD_CHECK(overheadRatio >= 0 && efficiency > 0 && efficiency <= 1);
    constexpr double kMost = 1e9;
    const double most = (1 + overheadRatio - efficiency) * (1 + 1e-9) / (efficiency * overheadRatio);
    if (!(most < kMost)) return std::nullopt;
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::floor(most)));
}

}  // namespace dasgd
