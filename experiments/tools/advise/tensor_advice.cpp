#include "experiments/tools/advise/tensor_advice.h"

#include <array>
#include <tuple>
#include <utility>

#include "experiments/config/document.h"
#include "experiments/tools/advise/known_cluster.h"

namespace dasgd::experiments {

namespace {

bool hasRows(const Value& resolved, const char* key) {
    const auto* rows = valueAt<Value::Array>(resolved, "model", key);
    return rows && !rows->empty();
}

Result<std::vector<LayerProduct>> layersOf(const CheckedExperiment& experiment, double rows) {
    const auto* name = valueAt<std::string>(experiment.resolved, "model", "name");
    if (!name || *name != "layer_table" || !hasRows(experiment.resolved, "dense")) {
        return fail(
            "--tensor needs the sizes of matrix products: set name = \"layer_table\" in [model] and a row [inputs, "
            "outputs] for each layer in dense, as dense = [[1024, 4096], [4096, 1024]]");
    }
    std::vector<LayerProduct> layers;
    for (const Value& row : *valueAt<Value::Array>(experiment.resolved, "model", "dense")) {
        const Value::Array& sizes = *row.as<Value::Array>();
        layers.push_back({rows, *sizes[0].as<double>(), *sizes[1].as<double>()});
    }
    return layers;
}

// Over no known link α and β are 0.
class Sender {
public:
    Sender(const CheckedExperiment& experiment, double elementBytes) : elementBytes_(elementBytes) {
        ClusterFacts facts{.workers = experiment.workers};
        if (experiment.layout.timeSimulated) takeKnown(experiment.resolved, std::nullopt, facts);
        link_ = facts.link;
    }
    [[nodiscard]] TensorRow of(std::string name, const SentVolume& forward,
                               const std::optional<SentVolume>& step) const {
        TensorRow row{.name = std::move(name), .why = {}, .forwardBytes = forward.elements * elementBytes_};
        if (step) row.stepBytes = step->elements * elementBytes_;
        if (link_.beta > 0) row.seconds = (step ? *step : forward).seconds(link_, elementBytes_);
        return row;
    }

private:
    double elementBytes_;
    LinkCost link_;
};

std::string sides(TensorGrid grid, int q) {
    const std::string side = std::to_string(q);
    return grid == TensorGrid::Rows     ? side
           : grid == TensorGrid::Square ? side + " × " + side
                                        : side + " × " + side + " × " + side;
}

// Gradients of all weights, averaged by a ring in each step.
SentVolume dataParallel(const std::vector<LayerProduct>& layers, int ranks) {
    SentVolume sent{.elements = 0, .messages = 2.0 * (ranks - 1)};
    for (const LayerProduct& layer : layers) sent.elements += 2 * layer.inputs * layer.outputs * (ranks - 1) / ranks;
    return sent;
}

}  // namespace

Result<TensorAdvice> tensorAdvice(const CheckedExperiment& experiment) {
    TensorAdvice advice{.ranks = experiment.workers,
                        .rows = experiment.meanBatch * experiment.workers,
                        .layers = {},
                        .elementBytes = weightBytes(experiment.resolved),
                        .hasConvolutions = hasRows(experiment.resolved, "conv"),
                        .products = {},
                        .sequences = {}};
    DASGD_ASSIGN(advice.layers, layersOf(experiment, advice.rows));
    const Sender sender(experiment, advice.elementBytes);
    constexpr std::array kGrids{std::tuple{TensorGrid::Rows, "1-D, columns and rows", "a line"},
                                std::tuple{TensorGrid::Square, "2-D", "a square"},
                                std::tuple{TensorGrid::Cube, "3-D", "a cube"}};
    for (const auto& [grid, name, shape] : kGrids) {
        const std::optional<int> q = gridSide(grid, advice.ranks);
        if (!q) {
            advice.products.push_back(
                {.name = name, .why = std::to_string(advice.ranks) + " ranks are no " + std::string(shape).substr(2)});
            continue;
        }
        const PassVolumes sent = tensorParallel(grid, advice.layers, advice.ranks);
        advice.products.push_back(
            sender.of(std::string(name) + ": " + sides(grid, *q) + " ranks", sent.forward, sent.step()));
    }
    advice.products.push_back(
        sender.of("data parallel, for comparison", {}, dataParallel(advice.layers, advice.ranks)));
    advice.activations = advice.layers.front().rows * advice.layers.front().inputs;
    for (const auto& [division, name] : {std::pair{SequenceDivision::Switches, "switches of the sequence (DSP)"},
                                         std::pair{SequenceDivision::Heads, "heads (Ulysses)"},
                                         std::pair{SequenceDivision::Gathers, "gathers (Megatron-SP)"}}) {
        advice.sequences.push_back(
            sender.of(name, sequenceParallel(division, advice.activations, advice.ranks), std::nullopt));
    }
    return advice;
}

}  // namespace dasgd::experiments
