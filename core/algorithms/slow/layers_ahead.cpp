#include "core/algorithms/slow/layers_ahead.h"

#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/optimizers/optimizer.h"

namespace dasgd {

namespace {

bool overlaps(const FlatParams::Slot& slot, const Fragment& layer) {
    return slot.offset < layer.end && layer.begin < slot.offset + slot.numel;
}

}  // namespace

void LayersAhead::start(StepContext& context, Leaving leaving, Leave leave) {
    leaving_ = std::move(leaving);
    leave_ = std::move(leave);
    context.gradientFeed().listen([this, &context](std::size_t slot) { onGradient(context, slot); });
}

void LayersAhead::begin(StepContext& context) {
    if (std::exchange(step_, context.step()) == context.step()) return;
    const std::vector<Fragment>* const layers = leaving_();
    layers_ = layers ? *layers : std::vector<Fragment>();
    left_ = layers_.size();
    missing_.clear();
    for (const Fragment& layer : layers_) {
        missing_.push_back(std::ranges::count_if(context.params().slots(),
                                                 [&](const FlatParams::Slot& slot) { return overlaps(slot, layer); }));
    }
}

void LayersAhead::onGradient(StepContext& context, std::size_t slot) {
    begin(context);
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        if (overlaps(context.params().slots()[slot], layers_[layer])) --missing_[layer];
    }
    while (left_ > 0 && missing_[left_ - 1] == 0) leaveNext(true);
}

void LayersAhead::finish(StepContext& context) {
    begin(context);
    while (left_ > 0) leaveNext(false);
}

at::Tensor LayersAhead::weightsAhead(StepContext& context, const Fragment& layer) {
    const at::NoGradGuard guard;
    FlatParams& params = context.params();
    FlatParams part = FlatParams::copyOf(params, {{layer.begin, layer.end}},
                                         params.gradients().narrow(0, layer.begin, layer.size()).clone());
    context.optimizer().copyOfPart(layer.begin, layer.end)->step(part, context.learningRate());
    return part.weights();
}

}  // namespace dasgd
