// The weight matrices of a network's hidden layers, which some optimisers treat apart from all other parameters.
#pragma once

#include <vector>

namespace torch::nn {
class Module;
}

namespace dasgd {

// True for each of trainableParameters(module) that is a matrix of a hidden layer: it has two or more dimensions (a
// convolution's kernels are a matrix with a row for each output), belongs to no torch::nn::Embedding, and is neither
// the matrix of the input nor that of the output. These two are found by the order of registration:
//   output  the last matrix; in a network with embeddings only if it has a row for each row of the first embedding, as
//           otherwise the output uses that embedding's matrix
//   input   the first matrix; none in a network with embeddings, which are the input there
// The modules of a TorchScript file are of no known kind: it counts as a network without embeddings.
[[nodiscard]] std::vector<bool> hiddenMatrices(const torch::nn::Module& module);

}  // namespace dasgd
