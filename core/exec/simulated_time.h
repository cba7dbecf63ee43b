// How simulated time moves on: the worker loop and the algorithms' spans tell what has just been done. Absent where
// time is real.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/event.h"

namespace dasgd {

class SimulatedTime {
public:
    virtual ~SimulatedTime() = default;
    // A piece of work of this kind has just been done; `bytes`: the memory a snapshot or a merge went over. Throws
    // CommError where the rank's host failed for good meanwhile; never while another exception is on its way.
    virtual void charge(SpanKind kind, std::int64_t bytes) = 0;
    // The backward pass has come to where the gradient of parameter `slot` is ready; charge(Backward) follows.
    virtual void gradientReady(std::size_t slot) = 0;
    // The forward or backward pass, whichever `pass` says, is done with the layer of parameter `slot`, and nobody is
    // inside autograd: the rank may wait now. charge(pass) follows after the last of them. Throws as
    // charge() does.
    virtual void layerDone(SpanKind pass, std::size_t slot) = 0;
    // While free, communication takes no time: what the laboratory does for itself, not the algorithm.
    virtual void setUntimed(bool free) = 0;
};

// Free for as long as the object lives.
class UntimedScope {
public:
    explicit UntimedScope(SimulatedTime* simulatedTime) : time_(simulatedTime) {
        if (time_) time_->setUntimed(true);
    }
    ~UntimedScope() {
        if (time_) time_->setUntimed(false);
    }
    UntimedScope(const UntimedScope&) = delete;
    UntimedScope& operator=(const UntimedScope&) = delete;

private:
    SimulatedTime* time_;
};

}  // namespace dasgd
