// Formulas for how to split a layer among nodes, and for how many nodes pay. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

namespace dasgd {

// A fully connected layer on P nodes in G data-parallel groups, each of P/G nodes that share the layer's weights;
// `minibatch` MB samples on all nodes together. Bytes per node and step: 8·ifm·MB/G for activations and their gradients
// within a group, 4(2−ov)·ifm·ofm·G/P for weights between groups; `overlap` ov, 0 … 1, is the share of sending that
// receiving hides. At either end one term has no peer and is dropped: the weights' at G = 1, model parallel, the
// activations' at G = P, data parallel. Das et al. (arXiv 1602.06709); its full text was not at hand, and the form is
// re-derived by counting 4-byte values sent and received.
[[nodiscard]] double hybridBytes(double inputs, double outputs, double minibatch, int groups, int ranks,
                                 double overlap);

// Efficiency, speed-up ÷ G, of G workers that divide the computing of one step among themselves while an overhead stays
// as it is: (1 + R)/(1 + G·R), R `overheadRatio` ≥ 0 being the overhead ÷ the computing of the whole step on one worker
// (Zou et al., arXiv 1709.06622). Nothing of the overhead is hidden.
[[nodiscard]] double dividedEfficiency(double overheadRatio, std::int64_t workers);
// The most workers whose efficiency is at least `efficiency`, 0 < E ≤ 1: ⌊(1 + R − E)/(E·R)⌋, at least 1. A billionth
// below it still counts. nullopt: over a billion of them.
[[nodiscard]] std::optional<std::int64_t> workersForEfficiency(double overheadRatio, double efficiency);

}  // namespace dasgd
