// Memory that the state of training takes on one rank: weights, gradients, the optimiser's state, and an algorithm's
// copies of the weights. Activations, data and what libraries allocate come on top. Pure; bytes.
#pragma once

namespace dasgd {

// Bytes of each kind of state for one parameter.
struct StateBytes {
    double weights = 0;
    double gradients = 0;
    double optimizer = 0;
    [[nodiscard]] constexpr double sum() const { return weights + gradients + optimizer; }
};
// State of this engine: everything in one type of `elementBytes`, with `optimizerTensors` beside the weights (Adam: 2).
[[nodiscard]] constexpr StateBytes stateOfOneType(double elementBytes, double optimizerTensors) {
    return {elementBytes, elementBytes, elementBytes * optimizerTensors};
}
// Adam in mixed precision, as ZeRO counts it (Rajbhandari et al., SC 2020, arXiv 1910.02054): weights and gradients in
// half precision, the optimiser's copy of the weights and its two moments in single precision.
inline constexpr StateBytes kMixedAdam{.weights = 2, .gradients = 2, .optimizer = 12};

// State that the ranks divide among themselves; each stage of ZeRO divides one kind more.
enum class Division : unsigned char { Nothing, Optimizer, OptimizerAndGradients, Everything };

struct RankMemory {
    double weights = 0;
    double gradients = 0;
    double optimizer = 0;
    double copies = 0;  // an algorithm's, beside these
    [[nodiscard]] constexpr double sum() const { return weights + gradients + optimizer + copies; }
};

// State of `parameters` parameters on one of `ranks` ranks; for Adam in mixed precision 16, 4 + 12/P, 2 + 14/P and 16/P
// bytes a parameter. Where everything is divided, the layers that are gathered at a time come on top.
[[nodiscard]] constexpr RankMemory dividedState(const StateBytes& state, Division division, double parameters,
                                                int ranks) {
    const auto share = [&](bool isDivided) { return parameters / (isDivided ? ranks : 1); };
    return {.weights = state.weights * share(division == Division::Everything),
            .gradients = state.gradients * share(division >= Division::OptimizerAndGradients),
            .optimizer = state.optimizer * share(division != Division::Nothing)};
}

// `zero_sgd` of this engine: the optimiser's state is divided, and each rank has copies of its part of the weights and
// of the mean gradients beside the whole ones.
[[nodiscard]] constexpr RankMemory dividedUpdate(const StateBytes& state, double parameters, int ranks) {
    RankMemory memory = dividedState(state, Division::Optimizer, parameters, ranks);
    memory.copies = (state.weights + state.gradients) * parameters / ranks;
    return memory;
}

// The merge family (core/algorithms/averaging/delayed_average.h): what leaves is a copy, of the weights and, where the
// optimiser's state is averaged, of that too; a correction keeps the weights as they left. Nothing is copied where
// there is neither delay nor local share and the weights alone are averaged.
[[nodiscard]] constexpr RankMemory delayedMerge(const StateBytes& state, double parameters, bool isDelayed,
                                                bool isLocal, bool isCorrected, bool averagesState) {
    RankMemory memory = dividedState(state, Division::Nothing, parameters, 1);
    if (!isDelayed && !isLocal && !averagesState) return memory;
    memory.copies =
        parameters * (state.weights + (averagesState ? state.optimizer : 0) + (isCorrected ? state.weights : 0));
    return memory;
}

}  // namespace dasgd
