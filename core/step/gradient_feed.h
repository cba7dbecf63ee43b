// Tells an algorithm, during the backward pass, that the gradient of a parameter is ready; synchronous SGD sends its
// buckets then. In time-only runs it can also be told when either pass reaches a layer.
//
// Threads: on a device autograd runs the backward pass on a thread of its own, while the training thread waits inside
// it. The listener is called there, one call at a time, with the compute stream as that thread's current one. Each
// thread sees what the other has written before the pass starts or ends.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "core/exec/executor.h"
#include "core/gpu/tensor_device.h"
#include "core/step/flat_params.h"

namespace torch::autograd {
struct Node;
}

namespace dasgd {

class GradientFeed {
public:
    using Listener = std::function<void(std::size_t slot)>;

    // Owner: the training thread. `executor` is told of every gradient and layer before the listener is; it may be
    // null. `device`: null on the CPU. All arguments outlive the feed.
    GradientFeed(FlatParams& params, Executor* executor, TensorDevice* device = nullptr)
        : params_(params), executor_(executor), device_(device) {}

    // From the next backward pass on `listener` is called once for each slot of FlatParams::slots(), in the order in
    // which the gradients become ready, from inside the pass. One listener; it may launch communication, not wait for
    // it.
    void listen(Listener listener);
    [[nodiscard]] bool hasListener() const { return static_cast<bool>(listener_); }
    // While held back nobody is told of gradients: before a step's last micro-batch they are partial sums.
    void holdBack(bool held) {
        const std::lock_guard lock(mutex_);
        held_ = held;
    }
    // The gradient of `slot` is ready. Called by autograd, or by the code that stands in for it, on any thread.
    void ready(std::size_t slot);

    // Listener for parameters that are shapes only. Unlike the listener above, it may wait.
    struct LayerListener {
        Listener beforeForward;             // from slot 0 on
        Listener afterBackward;             // from the last slot on
        Listener beforeBackward = nullptr;  // from the last slot on; may be empty
    };
    void listenToLayers(LayerListener listener);
    [[nodiscard]] bool hasLayerListener() const { return static_cast<bool>(layers_.beforeForward); }
    // The pass reaches `slot`; called by the code that stands in for it.
    void forward(std::size_t slot);
    void backward(std::size_t slot);

private:
    FlatParams& params_;
    Executor* executor_;
    TensorDevice* device_;
    const std::thread::id owner_ = std::this_thread::get_id();
    std::mutex mutex_;  // held during a call of the listener
    Listener listener_;
    bool held_ = false;  // guarded by mutex_
    LayerListener layers_;
    std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;  // autograd holds them weakly
};

}  // namespace dasgd
