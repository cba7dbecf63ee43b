#include "core/cost/tensor_parallel.h"

#include <cmath>

#include "core/base/check.h"

namespace dasgd {

namespace {

SentVolume times(double factor, SentVolume volume) {
    return {.elements = factor * volume.elements, .messages = factor * volume.messages};
}

// q ranks that have so many elements together, of which each sends all but a q-th.
SentVolume allButOwn(double elements, int q) { return {.elements = elements * (q - 1) / q, .messages = q - 1.0}; }

SentVolume allReduce(double elements, int ranks) { return times(2, allButOwn(elements, ranks)); }

PassVolumes inPairs(std::span<const LayerProduct> layers, int ranks) {
    PassVolumes sent;
    for (std::size_t i = 0; i < layers.size(); i += 2) {
        const bool isAlone = i + 1 == layers.size();
        const LayerProduct &first = layers[i], &last = layers[isAlone ? i : i + 1];
        const double outputs = last.rows * last.outputs;
        sent.forward += isAlone ? allButOwn(outputs, ranks) : allReduce(outputs, ranks);
        sent.backward += allReduce(first.rows * first.inputs, ranks);
    }
    return sent;
}

SentVolume square(const LayerProduct& layer, int q) {
    SentVolume sent = allButOwn(layer.rows * layer.inputs / q, q);
    sent += allButOwn(layer.inputs * layer.outputs / q, q);
    return sent;
}

SentVolume cube(const LayerProduct& layer, int q) {
    SentVolume sent = allButOwn(layer.rows * layer.inputs / (q * q), q);
    sent += allButOwn(layer.inputs * layer.outputs / (q * q), q);
    sent += allButOwn(layer.rows * layer.outputs / (q * q), q);
    return sent;
}

}  // namespace

SentVolume& SentVolume::operator+=(const SentVolume& more) {
    elements += more.elements;
    messages += more.messages;
    return *this;
}

double SentVolume::seconds(const LinkCost& link, double elementBytes) const {
    return messages * link.alpha + elements * elementBytes * link.beta;
}

SentVolume PassVolumes::step() const {
    SentVolume both = forward;
    both += backward;
    return both;
}

std::optional<int> gridSide(TensorGrid grid, int ranks) {
    DASGD_CHECK(ranks >= 1);
    if (grid == TensorGrid::Rows) return ranks;
    const int axes = grid == TensorGrid::Square ? 2 : 3;
    const int q = static_cast<int>(std::lround(std::pow(ranks, 1.0 / axes)));
    const std::int64_t all = static_cast<std::int64_t>(q) * q * (axes == 3 ? q : 1);
    return all == ranks ? std::optional(q) : std::nullopt;
}

PassVolumes tensorParallel(TensorGrid grid, std::span<const LayerProduct> layers, int ranks) {
    const std::optional<int> q = gridSide(grid, ranks);
    DASGD_CHECK(q && "the ranks are no such grid");
    if (grid == TensorGrid::Rows) return inPairs(layers, ranks);
    PassVolumes sent;
    for (const LayerProduct& layer : layers) {
        const SentVolume one = grid == TensorGrid::Square ? square(layer, *q) : cube(layer, *q);
        sent.forward += one;
        sent.backward += grid == TensorGrid::Square ? times(2, one) : one;
    }
    return sent;
}

SentVolume sequenceParallel(SequenceDivision division, double activations, int ranks) {
    const SentVolume allToAll = allButOwn(activations / ranks, ranks);
    switch (division) {
        case SequenceDivision::Switches: return times(2, allToAll);
        case SequenceDivision::Heads: return times(4, allToAll);
        case SequenceDivision::Gathers: return times(8, allButOwn(activations, ranks));
    }
    DASGD_CHECK(false && "a division outside the enumeration");
    return {};
}

}  // namespace dasgd
