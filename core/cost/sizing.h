// Rules of thumb for choosing a cluster: how many samples a node needs, how to split a layer, how many servers. Pure
// functions; b `samples` per node and step, F FLOP/s and B bytes/s of a node.
//
// Layers: Das et al., "Distributed Deep Learning Using Synchronous Stochastic Gradient Descent" (arXiv 1602.06709). Its
// full text was not at hand; the forms are re-derived by counting 2 FLOP a multiply-add in each of the forward pass and
// the two products of the backward pass, and 4-byte values sent and received. `overlap` (ov, 0 … 1) is the share of
// sending that receiving hides.
#pragma once

#include <span>

namespace dasgd {

struct ConvLayer {
    int inputMaps = 1, outputMaps = 1;  // ifm, ofm
    int kernel = 1;                     // k × k
    int outputWidth = 1, outputHeight = 1;
};

// One step of b samples: 6·ifm·ofm·k²·ow·oh·b.
[[nodiscard]] double convFlops(const ConvLayer& layer, double samples);
// Its gradients out and weights back: 4·ifm·ofm·k²·(2−ov) bytes.
[[nodiscard]] double convBytes(const ConvLayer& layer, double overlap);
// The ratio, 1.5·ow·oh·b/(2−ov) FLOP/byte, which neither kernel nor channels change.
[[nodiscard]] double convFlopsPerByte(const ConvLayer& layer, double samples, double overlap);
// The fewest samples per node whose computation covers the layer's communication: (F/B)·(2−ov)/(1.5·ow·oh), a real
// number.
[[nodiscard]] double minimumSamplesPerNode(double flopsPerSecond, double bytesPerSecond, const ConvLayer& layer,
                                           double overlap);

// A fully connected layer on P nodes in G data-parallel groups, each of P/G nodes that share the layer's weights;
// `minibatch` MB samples on all nodes together. Bytes per node: 8·ifm·MB/G for activations and their gradients within a
// group, 4(2−ov)·ifm·ofm·G/P for weights between groups. At either end one term has no peer and is dropped:
// the weights' at G = 1, model parallel, the activations' at G = P, data parallel.
[[nodiscard]] double hybridBytes(int inputs, int outputs, double minibatch, double groups, int ranks, double overlap);
// The real G between 1 and P where the sum of both terms is least: √(2·P·MB/((2−ov)·ofm)), √(P·MB/ofm) without overlap.
// A whole number of nodes a group, and the two ends, are for hybridBytes to compare.
[[nodiscard]] double bestGroups(int outputs, double minibatch, int ranks, double overlap);

// How long layer l's communication has before it holds anything up: from the end of its own backward pass through the
// backward passes of the layers below it and the next forward passes up to it. Layers counted from the input; both
// spans hold one time a layer.
[[nodiscard]] double secondsUntilNextUse(std::span<const double> forward, std::span<const double> backward, int layer);

// G devices that do R times a step's parallel work one after the other: efficiency (1+R)/(1+GR).
[[nodiscard]] double serialOverheadEfficiency(double overheadRatio, int devices);

// Dedicated servers that keep up with P workers: ⌈2SP/(B_ps·T_c)⌉ (arXiv 1709.06622; full text not at hand). At
// least 1.
[[nodiscard]] int parameterServersNeeded(double bytes, int workers, double serverBytesPerSecond, double computeSeconds);

}  // namespace dasgd
