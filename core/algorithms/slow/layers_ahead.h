// Layers that leave under the backward pass of a step, with the weights that the step will leave them: as soon as the
// gradient of a layer is there, a copy of the optimiser steps a copy of the layer. The step itself is made at its end
// as always, so that it makes these layers' part twice; in real time that costs a copy of the layer and its state
// besides. In simulated time only the snapshot is charged, as of an optimiser that steps each layer where its gradient
// is ready.
//
// The layers leave in one order on every rank, from the last on, whatever order their gradients come in. On a device
// they leave from autograd's own thread (core/step/gradient_feed.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "core/algorithms/slow/fragments.h"
#include "core/step/step_context.h"

namespace dasgd {

class LayersAhead {
public:
    // Sends layer `layer` of those that leave in this step. `inPass`: inside the backward pass, where nobody may wait.
    using Leave = std::function<void(std::size_t layer, bool inPass)>;
    // The layers that leave in the present step, as ranges of the flat tensors, ascending; null: none do. Called once
    // in each step.
    using Leaving = std::function<const std::vector<Fragment>*()>;

    // Called once; listens to the backward passes from the next one on. `context` lives longer.
    void start(StepContext& context, Leaving leaving, Leave leave);
    // Called after the step: layers leave of which the pass has not made every gradient, as where a parameter took no
    // part in the loss.
    void finish(StepContext& context);

    // A layer's weights as the optimiser's next step makes them. Called inside the pass.
    [[nodiscard]] static at::Tensor weightsAhead(StepContext& context, const Fragment& layer);

private:
    void begin(StepContext& context);
    void onGradient(StepContext& context, std::size_t slot);
    void leaveNext(bool inPass) { leave_(--left_, inPass); }

    Leaving leaving_;
    Leave leave_;
    std::int64_t step_ = -1;             // the step of the members below
    std::vector<Fragment> layers_;       // those that leave in it
    std::vector<std::int64_t> missing_;  // gradients that each of them still misses
    std::size_t left_ = 0;               // layers that have not left
};

}  // namespace dasgd
