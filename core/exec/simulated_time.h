// One rank's simulated time as the executor advances it. Implemented by the virtual cluster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/event.h"

namespace dasgd {

class SimulatedTime {
public:
    virtual ~SimulatedTime() = default;
    // Charges a piece of work of this kind that has just been done; `bytes`: the memory a snapshot or a merge went
    // over. Throws CommError where the rank's host failed for good meanwhile.
    virtual void charge(SpanKind kind, std::int64_t bytes) = 0;
    // Called when the pass under way failed. It is not charged, and what it would have launched is not launched.
    virtual void abandon() noexcept = 0;
    // Called when the backward pass has the gradient of parameter `slot` ready; charge(Backward) follows.
    virtual void gradientReady(std::size_t slot) = 0;
    // Called when the pass is done with the layer of parameter `slot`, outside autograd; charge(pass) follows after the
    // last layer. Throws as charge() does.
    virtual void layerDone(SpanKind pass, std::size_t slot) = 0;
    // The next passes are over this share of a full batch: loading and both of them take as much of their time.
    // `sameStep`: they belong to the step of the passes before.
    virtual void setBatchShare(double share, bool sameStep) = 0;
    // While untimed, work and communication take no time.
    virtual void setUntimed(bool untimed) = 0;
    // False in time-only runs: tensors have shapes and no values.
    [[nodiscard]] virtual bool computes() const = 0;
};

}  // namespace dasgd
