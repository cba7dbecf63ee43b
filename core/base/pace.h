// How simulated time moves on: the worker loop and the algorithms' spans tell what has just been done. Absent where
// time is real.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/event.h"

namespace dasgd {

class Pace {
public:
    virtual ~Pace() = default;
    // A piece of work of this kind has just been done; `bytes`: the memory a snapshot or a merge went over. Throws
    // CommError where the rank's host failed for good meanwhile; never while another exception is on its way.
    virtual void worked(SpanKind kind, std::int64_t bytes) = 0;
    // The backward pass has come to where the gradient of parameter `slot` is ready; worked(Backward) follows.
    virtual void gradientReady(std::size_t slot) = 0;
    // The forward or backward pass, whichever `pass` says, is done with the layer of parameter `slot`, and nobody is
    // inside autograd: the rank may wait now. worked(pass) follows after the last of them. Throws as
    // worked() does.
    virtual void layerDone(SpanKind pass, std::size_t slot) = 0;
    // While free, communication takes no time: what the laboratory does for itself, not the algorithm.
    virtual void setFree(bool free) = 0;
};

// Free for as long as the object lives.
class FreeOfTime {
public:
    explicit FreeOfTime(Pace* pace) : pace_(pace) {
        if (pace_) pace_->setFree(true);
    }
    ~FreeOfTime() {
        if (pace_) pace_->setFree(false);
    }
    FreeOfTime(const FreeOfTime&) = delete;
    FreeOfTime& operator=(const FreeOfTime&) = delete;

private:
    Pace* pace_;
};

}  // namespace dasgd
