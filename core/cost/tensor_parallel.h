// Bytes that tensor and sequence parallel training sends: ranks that compute one batch together, of which each has a
// part of every matrix, or of every sequence. Formulas only; the engine trains with neither. Pure.
//
// Counts are elements, the mean over the ranks, of ring collectives or direct exchanges; the sums and averages that
// they stand for are exact. Nothing of it is counted as hidden behind computing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/cost/cost.h"

namespace dasgd {

// Volume that a rank sends: α is paid for each message, β for each byte.
struct SentVolume {
    double elements = 0;
    double messages = 0;
    SentVolume& operator+=(const SentVolume& more);
    // Seconds over `link`, one message after the other.
    [[nodiscard]] double seconds(const LinkCost& link, double elementBytes) const;
};

// The product of a layer: inputs [m × k] times weights [k × n].
struct LayerProduct {
    double rows = 0;     // m, samples or tokens of all ranks together
    double inputs = 0;   // k
    double outputs = 0;  // n
};

// How the matrices lie on P ranks.
//  Rows   1-D, Megatron-LM: the weights of one layer by columns and of the next by rows, with an all-reduce of the
//         outputs of each such pair and in the backward pass of the gradient of its inputs: 2·mn(P−1)/P and
//         2·mk(P−1)/P. A last layer without a partner is divided by columns, and its outputs are gathered.
//  Square 2-D, SUMMA on q × q ranks: each holds one block of either matrix, which go to its row and to its column:
//         (mk + kn)(q−1)/q². The backward pass makes two such products.
//  Cube   3-D (Bian et al., arXiv 2105.14450) on q × q × q ranks: inputs and weights are gathered and outputs reduced
//  and
//         scattered, each along one of the three axes: (mk + kn + mn)(q−1)/q³; as much in the backward pass, for which
//         what was gathered is kept.
enum class TensorGrid : std::uint8_t { Rows, Square, Cube };

// q: ranks along an axis of the grid, P for Rows; nullopt where P ranks are no such grid.
[[nodiscard]] std::optional<int> gridSide(TensorGrid grid, int ranks);

struct PassVolumes {
    SentVolume forward, backward;
    [[nodiscard]] SentVolume step() const;
};
// One step over consecutive layers. The gradient of the first layer's inputs counts, as of layers within a network.
// Precondition: gridSide() has a value.
[[nodiscard]] PassVolumes tensorParallel(TensorGrid grid, std::span<const LayerProduct> layers, int ranks);

// Transformers whose samples have two sequences, as the frames of a video and the places of a frame, in pairs of
// blocks: one attends along the one sequence, the next along the other. Activations are divided along one of them, M
// elements on all ranks together. Forward pass of one pair:
//  Switches  dynamic sequence parallelism (Zhao et al., arXiv 2403.10266): an all-to-all moves the division to the
//  other
//            sequence before each block: 2·M(P−1)/P²
//  Heads     Ulysses (Jacobs et al., arXiv 2309.14509): the division stays; attention along the divided sequence takes
//            queries, keys, values and outputs through an all-to-all each: 4·M(P−1)/P²
//  Gathers   Megatron-LM's sequence parallelism: an all-gather before and a reduce-scatter after each of the two
//            attentions and the two multilayer perceptrons: 8·M(P−1)/P
enum class SequenceDivision : std::uint8_t { Switches, Heads, Gathers };
[[nodiscard]] SentVolume sequenceParallel(SequenceDivision division, double activations, int ranks);

}  // namespace dasgd
