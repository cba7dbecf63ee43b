#include "core/cost/sizing.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

double weightsOf(const ConvLayer& layer) {
    return static_cast<double>(layer.inputMaps) * layer.outputMaps * layer.kernel * layer.kernel;
}

double pixelsOf(const ConvLayer& layer) { return static_cast<double>(layer.outputWidth) * layer.outputHeight; }

}  // namespace

double convFlops(const ConvLayer& layer, double samples) { return 6 * weightsOf(layer) * pixelsOf(layer) * samples; }

double convBytes(const ConvLayer& layer, double overlap) {
    DASGD_CHECK(overlap >= 0 && overlap <= 1);
    return 4 * weightsOf(layer) * (2 - overlap);
}

double convFlopsPerByte(const ConvLayer& layer, double samples, double overlap) {
    return convFlops(layer, samples) / convBytes(layer, overlap);
}

double minimumSamplesPerNode(double flopsPerSecond, double bytesPerSecond, const ConvLayer& layer, double overlap) {
    DASGD_CHECK(flopsPerSecond > 0 && bytesPerSecond > 0);
    return flopsPerSecond / bytesPerSecond / convFlopsPerByte(layer, 1, overlap);
}

double hybridBytes(int inputs, int outputs, double minibatch, double groups, int ranks, double overlap) {
    DASGD_CHECK(groups >= 1 && groups <= ranks && overlap >= 0 && overlap <= 1);
    const double activations = groups < ranks ? 8 * inputs * minibatch / groups : 0;
    const double weights = groups > 1 ? 4 * (2 - overlap) * inputs * outputs * groups / ranks : 0;
    return activations + weights;
}

double bestGroups(int outputs, double minibatch, int ranks, double overlap) {
    DASGD_CHECK(outputs >= 1 && minibatch >= 0 && ranks >= 1 && overlap >= 0 && overlap <= 1);
    const double stationary = std::sqrt(2 * ranks * minibatch / ((2 - overlap) * outputs));
    return std::clamp(stationary, 1.0, static_cast<double>(ranks));
}

double secondsUntilNextUse(std::span<const double> forward, std::span<const double> backward, int layer) {
    DASGD_CHECK(forward.size() == backward.size() && layer >= 0 && layer < static_cast<int>(forward.size()));
    double seconds = 0;
    for (int below = 0; below < layer; ++below) seconds += forward[below] + backward[below];
    return seconds;
}

double serialOverheadEfficiency(double overheadRatio, int devices) {
    DASGD_CHECK(overheadRatio >= 0 && devices >= 1);
    return (1 + overheadRatio) / (1 + devices * overheadRatio);
}

int parameterServersNeeded(double bytes, int workers, double serverBytesPerSecond, double computeSeconds) {
    DASGD_CHECK(serverBytesPerSecond > 0 && computeSeconds > 0);
    const double servers = 2 * bytes * workers / (serverBytesPerSecond * computeSeconds);
    return std::max(1, static_cast<int>(std::ceil(servers - 1e-9)));
}

}  // namespace dasgd
