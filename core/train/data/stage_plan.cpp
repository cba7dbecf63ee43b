#include "core/train/data/stage_plan.h"

#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/base/check.h"
#include "core/models/sequence.h"
#include "core/sim/compute/layer_work.h"
#include "core/step/flat_params.h"
#include "core/train/data/count_flops.h"
#include "core/train/data/training_data.h"

namespace dasgd {

namespace {

// Slots of the flat parameters up to the end of each layer.
std::vector<std::size_t> slotEnds(const std::vector<SequenceLayer>& layers, torch::nn::Module& module) {
    const std::vector<at::Tensor> slots = trainableParameters(module);
    std::vector<std::size_t> ends;
    std::size_t slot = 0;
    for (const SequenceLayer& layer : layers) {
        for (const auto& part : layer.modules) {
            for (const at::Tensor& parameter : trainableParameters(*part)) {
                DASGD_CHECK(slot < slots.size() && slots[slot].is_same(parameter) &&
                            "the layers' parameters are in the order of registration");
                ++slot;
            }
        }
        ends.push_back(slot);
    }
    DASGD_CHECK(slot == slots.size() && "every parameter is of a layer");
    return ends;
}

// Shape of one sample between each two layers: that of the data first, that of the outputs last.
std::vector<std::vector<std::int64_t>> shapesBetween(const std::vector<SequenceLayer>& layers, Model& model,
                                                     const Samples& train) {
    const at::NoGradGuard guard;
    model.module().eval();  // draws no numbers and leaves buffers alone
    const at::ScalarType type = trainableParameters(model.module()).front().scalar_type();
    at::Tensor x = makeBatch(train, torch::zeros({1}, torch::kInt64), type).inputs;
    std::vector<std::vector<std::int64_t>> shapes{x[0].sizes().vec()};
    for (const SequenceLayer& layer : layers) {
        x = layer.forward(x);
        shapes.push_back(x[0].sizes().vec());
    }
    return shapes;
}

double sumOf(const std::vector<double>& values, std::size_t begin, std::size_t end) {
    return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                           values.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
}

}  // namespace

std::vector<std::size_t> evenGroups(const std::vector<double>& work, std::size_t parts) {
    const std::size_t count = work.size();
    DASGD_CHECK(parts >= 1 && parts <= count);
    // least[p][n]: the largest sum of the first n in p groups; begin[p][n]: where the last of them begins.
    std::vector<std::vector<double>> least(parts + 1,
                                           std::vector<double>(count + 1, std::numeric_limits<double>::infinity()));
    std::vector<std::vector<std::size_t>> begin(parts + 1, std::vector<std::size_t>(count + 1, 0));
    least[0][0] = 0;
    for (std::size_t p = 1; p <= parts; ++p) {
        for (std::size_t n = p; n <= count; ++n) {
            for (std::size_t from = p - 1; from < n; ++from) {
                const double most = std::max(least[p - 1][from], sumOf(work, from, n));
                if (most < least[p][n]) {
                    least[p][n] = most;
                    begin[p][n] = from;
                }
            }
        }
    }
    std::vector<std::size_t> ends(parts);
    std::size_t end = count;
    for (std::size_t p = parts; p > 0; --p) {
        ends[p - 1] = end;
        end = begin[p][end];
    }
    return ends;
}

Result<StagePlan> planStages(const Experiment& experiment, const TrainingData& data) {
    DASGD_ASSIGN(const std::unique_ptr<Model> model, buildModel(experiment, data, Rank{0}));
    const auto* cut = dynamic_cast<const HasSequence*>(model.get());
    if (!cut) return fail(experiment.modelName + " is no sequence of layers");
    DASGD_ASSIGN(const std::vector<SequenceLayer> layers, cut->sequence());
    const std::vector<std::size_t> slots = slotEnds(layers, model->module());
    std::vector<std::int64_t> sizes;
    for (const at::Tensor& parameter : trainableParameters(model->module())) sizes.push_back(parameter.numel());
    DASGD_ASSIGN(const LayerWork counted, layerWorkOf(experiment, data));
    const std::vector<double> forward = sharesOf(counted.forward, sizes);
    const std::vector<double> backward = experiment.compute.gradientShares.empty() ? sharesOf(counted.backward, sizes)
                                                                                   : experiment.compute.gradientShares;
    std::vector<double> work;
    for (std::size_t layer = 0, slot = 0; layer < layers.size(); slot = slots[layer++]) {
        const double flops = sumOf(counted.forward, slot, slots[layer]) + sumOf(counted.backward, slot, slots[layer]);
        work.push_back(counted.flops() > 0 ? flops : sumOf(forward, slot, slots[layer]));
    }
    const auto shapes = shapesBetween(layers, *model, data.splits.train);
    StagePlan plan;
    std::size_t layer = 0, slot = 0;
    for (const std::size_t end : evenGroups(work, static_cast<std::size_t>(experiment.cluster.stages))) {
        plan.parts.push_back({.firstLayer = std::exchange(layer, end),
                              .endLayer = end,
                              .firstSlot = std::exchange(slot, slots[end - 1]),
                              .endSlot = slots[end - 1],
                              .input = shapes[plan.parts.empty() ? 0 : plan.parts.back().endLayer],
                              .output = shapes[end]});
        StagePlan::Part& part = plan.parts.back();
        part.forward = sumOf(forward, part.firstSlot, part.endSlot);
        part.backward = sumOf(backward, part.firstSlot, part.endSlot);
    }
    return plan;
}

}  // namespace dasgd
