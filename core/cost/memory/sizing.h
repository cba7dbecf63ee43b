// Formula for how to split a layer among nodes. A pure function.
#pragma once

namespace dasgd {

// A fully connected layer on P nodes in G data-parallel groups, each of P/G nodes that share the layer's weights;
// `minibatch` MB samples on all nodes together. Bytes per node and step: 8·ifm·MB/G for activations and their gradients
// within a group, 4(2−ov)·ifm·ofm·G/P for weights between groups; `overlap` ov, 0 … 1, is the share of sending that
// receiving hides. At either end one term has no peer and is dropped: the weights' at G = 1, model parallel, the
// activations' at G = P, data parallel. Das et al. (arXiv 1602.06709); its full text was not at hand, and the form is
// re-derived by counting 4-byte values sent and received.
[[nodiscard]] double hybridBytes(double inputs, double outputs, double minibatch, int groups, int ranks,
                                 double overlap);

}  // namespace dasgd
