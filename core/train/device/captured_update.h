// The optimiser's step, captured once and given to the device again and again (train.cuda_graph), as the passes are in
// captured_passes.h. It is a graph of its own, since algorithms come between the backward pass and it, and a trace
// times it by itself.
//
// Values that change from step to step are on the device: the optimiser's counters, and the learning rate as a float32
// that is written before each replay. A rate is therefore rounded to 24 bits, which weights of float64 would show.
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
    // `name`: the optimiser's. `note` is told, once, why the update is not captured. All arguments outlive this. Owner:
    // the training thread.
    CapturedUpdate(TensorDevice& device, Optimizer& optimizer, const std::string& name, FlatParams& params,
                   std::function<void(const std::string&)> note);

    // Makes the step: by a replay where it can, else as the optimiser makes it. `capture`: an update that is not
    // captured yet may be captured now, as the passes of this step are.
    void step(double learningRate, bool capture);
    // Called instead of step(): nothing is captured, as the algorithm `name` makes the update itself.
    void isMadeBy(const std::string& name);

private:
    void refuse(const std::string& why);
    void capture();

    TensorDevice& device_;
    Optimizer& optimizer_;
    const std::string name_;
    FlatParams& params_;
    std::function<void(const std::string&)> note_;
    SteadyStep* steady_;  // the optimiser's interface, or null
    bool refused_ = false;
    at::Tensor rate_;  // [] float32, read by the graph
    std::unique_ptr<CapturedWork> work_;
};

}  // namespace dasgd
