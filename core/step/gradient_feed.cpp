#include "core/step/gradient_feed.h"

#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/csrc/autograd/variable.h>
#include <torch/types.h>

#include "core/base/check.h"

namespace dasgd {

void GradientFeed::listen(Listener listener) {
    // A listener takes the place of the one before, as where an algorithm begins behind synchronous steps.
    listener_ = std::move(listener);
    if (params_.shapesOnly() || !accumulators_.empty()) return;
    const auto& slots = params_.slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        auto node = torch::autograd::impl::grad_accumulator(slots[i].parameter);
        DASGD_CHECK(node);
        node->add_post_hook(
            std::make_unique<torch::autograd::utils::LambdaPostHook>([this, i](const auto& outputs, const auto&) {
                ready(i);
                return outputs;
            }));
        accumulators_.push_back(std::move(node));
    }
}

void GradientFeed::ready(std::size_t slot) {
    const std::lock_guard lock(mutex_);
    if (held_) return;
    if (device_ && std::this_thread::get_id() != owner_) device_->enter();
    if (executor_) executor_->gradientReady(slot);
    if (listener_) listener_(slot);
}

void GradientFeed::listenToLayers(LayerListener listener) {
    DASGD_CHECK(!hasLayerListener() && "one listener");
    DASGD_CHECK(params_.shapesOnly() && "autograd cannot be stopped between two layers");
    layers_ = std::move(listener);
}

void GradientFeed::forward(std::size_t slot) {
    layers_.beforeForward(slot);
    if (executor_) executor_->layerDone(SpanKind::Forward, slot);
}

void GradientFeed::backward(std::size_t slot) {
    if (layers_.beforeBackward) layers_.beforeBackward(slot);
    if (executor_) executor_->layerDone(SpanKind::Backward, slot);
    layers_.afterBackward(slot);
}

}  // namespace dasgd
