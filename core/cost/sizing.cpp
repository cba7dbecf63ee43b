#include "core/cost/sizing.h"

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

int parameterServersNeeded(double bytes, int workers, double serverBytesPerSecond, double computeSeconds) {
    DASGD_CHECK(serverBytesPerSecond > 0 && computeSeconds > 0);
    const double servers = 2 * bytes * workers / (serverBytesPerSecond * computeSeconds);
    return std::max(1, static_cast<int>(std::ceil(servers - 1e-9)));
}

}  // namespace dasgd
