// The optimiser's step, captured once and given to the device again and again (train.cuda_graph), as captured_passes.h
// has the passes. A graph of its own, since algorithms come between the backward pass and it, and a trace times it by
// itself.
//
// What changes from step to step is on the device: the optimiser's counters, and the learning rate as a float32 that is
// written before each replay. A rate is therefore rounded to 24 bits, which weights of float64 would show.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>

#include "core/gpu/tensor_device.h"
#include "core/optimizers/optimizer.h"
#include "core/step/flat_params.h"

namespace dasgd {

class CapturedUpdate {
public:
    // `name`: the optimiser's. `note` is told, once, why the update is not captured. Everything given outlives this.
    // Owner: the training thread.
    CapturedUpdate(TensorDevice& device, Optimizer& optimizer, const std::string& name, FlatParams& params,
                   std::function<void(const std::string&)> note);

    // Makes the step: by a replay where it can, else as the optimiser makes it. `capture`: what is not captured yet may
    // be now, as the passes of this step are.
    void step(double learningRate, bool capture);
    // Instead of step(): nothing is captured, as the algorithm `name` makes the update itself.
    void isMadeBy(const std::string& name);

private:
    void refuse(const std::string& why);
    void capture();

    TensorDevice& device_;
    Optimizer& optimizer_;
    const std::string name_;
    FlatParams& params_;
    std::function<void(const std::string&)> note_;
    SteadyStep* steady_;  // the optimiser, or null
    bool refused_ = false;
    at::Tensor rate_;  // [] float32, which the graph reads
    std::unique_ptr<CapturedWork> work_;
};

}  // namespace dasgd
