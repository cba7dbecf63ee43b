// Forward and backward pass of a step, captured once and given to the device again and again (train.cuda_graph): the
// host then launches two graphs instead of every kernel. The update is not part of them, as algorithms come between the
// passes and it: captured_update.h.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/gpu/tensor_device.h"
#include "core/models/model.h"

namespace dasgd {

class CapturedPasses {
public:
    struct Passes {
        std::function<void()> forward;   // with the batch that captures() was given
        std::function<void()> backward;  // after it
    };
    // `note` is told, once, why nothing is captured. `device` outlives this. Owner: the training thread.
    CapturedPasses(TensorDevice& device, Passes passes, std::function<void(const std::string&)> note);

    // True where the passes of the present step are to be forward() and backward() of this object. The first steps are
    // not: libraries make their workspaces in them. Then `batch` becomes the tensors that the graphs read, with its
    // values; it is the batch that the passes see. The caller computes a batch of another shape than that of the first
    // such batch. `impossible`: why passes cannot be captured, as where an algorithm listens to the backward pass;
    // empty: nothing is in the way.
    [[nodiscard]] bool captures(Batch& batch, const std::string& impossible);
    void forward() { forward_->replay(); }
    void backward() { backward_->replay(); }

private:
    void refuse(const std::string& why);
    [[nodiscard]] bool capture();

    TensorDevice& device_;
    Passes passes_;
    std::function<void(const std::string&)> note_;
    int eagerSteps_ = 0;
    bool refused_ = false;
    Batch inputs_;  // read by the graphs
    std::unique_ptr<CapturedWork> forward_, backward_;
};

}  // namespace dasgd
