// Closed forms that tests hold the engine to and that the engine itself has no use for. Seconds, bytes and FLOP.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace dasgd::test {

struct ConvLayer {
    int inputMaps = 1, outputMaps = 1;  // ifm, ofm
    int kernel = 1;                     // k × k
    int outputWidth = 1, outputHeight = 1;
};

inline double weightsOf(const ConvLayer& layer) {
    return static_cast<double>(layer.inputMaps) * layer.outputMaps * layer.kernel * layer.kernel;
}

// FLOP of one sample: 2 a multiply-add, in the forward pass and in the two products of the backward pass.
inline double convFlops(const ConvLayer& layer) {
    return 6 * weightsOf(layer) * layer.outputWidth * layer.outputHeight;
}

// Synchronous SGD in buckets, reduced one after the other while the backward pass goes on (Li et al., "PyTorch
// Distributed", VLDB 2020): e_j = max(r_j, e_{j−1}) + T_m(b_j), step T_f + max(T_b, e_last). `readyTimes` r_j count
// from the beginning of the backward pass, in the order of launch; `bucketTimes` has one T_m(b_j) for each.
inline double bucketedSgdStepSeconds(std::span<const double> readyTimes, std::span<const double> bucketTimes,
                                     double forward, double backward) {
    double reduced = 0;
    for (std::size_t bucket = 0; bucket < readyTimes.size(); ++bucket) {
        reduced = std::max(readyTimes[bucket], reduced) + bucketTimes[bucket];
    }
    return forward + std::max(backward, reduced);
}

// Local SGD (arXiv 1805.09767): (X̄ + T_m)/τ with X̄ = `slowestRound`, the expected maximum over workers of τ steps' sum.
inline double localSgdStepSeconds(double slowestRound, double communication, int period) {
    return (slowestRound + communication) / period;
}

}  // namespace dasgd::test
