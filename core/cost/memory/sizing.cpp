#include "core/cost/memory/sizing.h"

#include "core/base/check.h"

namespace dasgd {

double hybridBytes(double inputs, double outputs, double minibatch, int groups, int ranks, double overlap) {
    DASGD_CHECK(groups >= 1 && groups <= ranks && overlap >= 0 && overlap <= 1);
    const double activations = groups < ranks ? 8 * inputs * minibatch / groups : 0;
    const double weights = groups > 1 ? 4 * (2 - overlap) * inputs * outputs * groups / ranks : 0;
    return activations + weights;
}

}  // namespace dasgd
