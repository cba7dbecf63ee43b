#include "core/algorithms/server/bounded_lead.h"

#include <numeric>
#include <utility>

namespace dasgd {

namespace {

class BoundedLead final : public UpdatePerPush {
public:
    BoundedLead(const Facts& facts, std::int64_t staleness) : UpdatePerPush(facts), staleness_(staleness) {}
    [[nodiscard]] bool mayStart(int worker) override { return clocks().lead(worker) <= staleness_; }

private:
    std::int64_t staleness_;
};

}  // namespace

std::unique_ptr<ServerPolicy> makeBoundedLead(const ServerPolicy::Facts& facts, std::int64_t staleness) {
    if (staleness > 0) return std::make_unique<BoundedLead>(facts, staleness);
    return std::make_unique<SynchronousUntil>(facts, kNoBound);
}

void SynchronousUntil::take(const Push& push) {
    clocks_.note(push);
    if (push.clock <= steps_) {
        ++held_;
    } else {
        taken_ = push.worker;
    }
}

std::optional<ServerPolicy::Update> SynchronousUntil::nextUpdate() {
    Update update;
    const bool synchronous = held_ == clocks_.workers();
    if (synchronous) {
        held_ = 0;
        update.workers.resize(static_cast<std::size_t>(clocks_.workers()));
        std::iota(update.workers.begin(), update.workers.end(), 0);
    } else if (taken_) {
        update.workers = {*std::exchange(taken_, std::nullopt)};
    } else {
        return std::nullopt;
    }
    adapt(update, synchronous);
    return update;
}

// A worker with a synchronous step waits until the update of that step is made.
bool SynchronousUntil::mayStart(int worker) {
    const std::int64_t clock = clocks_.of(worker);
    return clock > steps_ || clocks_.least() >= clock;
}

}  // namespace dasgd
