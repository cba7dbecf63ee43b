// Policy of ssp: no worker starts a step with a lead above s over the slowest one. With s = 0 the gradients of a step
// make one update of their mean; otherwise each is an update of its own.
#pragma once

#include <memory>
#include <optional>

#include "core/algorithms/server/server_policy.h"

namespace dasgd {

inline constexpr std::int64_t kNoBound = INT64_MAX;

// `staleness`: s >= 0; kNoBound for asynchronous SGD.
[[nodiscard]] std::unique_ptr<ServerPolicy> makeBoundedLead(const ServerPolicy::Facts& facts, std::int64_t staleness);

// A policy by which all workers' gradients of a step make one update, until each has made `steps` steps, and every
// gradient one of its own from then on. Base of bulk-synchronous rules.
class SynchronousUntil : public ServerPolicy {
public:
    SynchronousUntil(const Facts& facts, std::int64_t steps) : clocks_(facts), steps_(steps) {}
    void take(const Push& push) override;
    [[nodiscard]] std::optional<Update> nextUpdate() override;
    [[nodiscard]] bool mayStart(int worker) override;

protected:
    // Changes an update that is due; `synchronous`: of all workers.
    virtual void adapt([[maybe_unused]] Update& update, [[maybe_unused]] bool synchronous) {}
    [[nodiscard]] const WorkerClocks& clocks() const { return clocks_; }

private:
    WorkerClocks clocks_;
    std::int64_t steps_;
    std::optional<int> taken_;
    int held_ = 0;  // gradients that are in no update yet
};

}  // namespace dasgd
