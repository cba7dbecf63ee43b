#include "core/virtual/rank_actor.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/virtual/virtual_comm.h"

namespace dasgd {

Ns toNs(double seconds) { return static_cast<Ns>(std::llround(seconds * 1e9)); }

RankActor::RankActor(VirtualWorld::Impl& world, int rank)
    : world_(world), rank_(rank), compute_(world.options().compute, world.options().times, rank) {}

void RankActor::live(const std::function<void(VirtualRank&)>& body) {
    const std::unique_ptr<Communicator> comm = makeVirtualCommunicator(*this);
    VirtualRank self{*comm, *this, *this};
    body(self);
    settle();
    ended_ = true;
}

Ns RankActor::now() const {
    DASGD_CHECK(planned_.empty() && "a backward pass is told of its end before the clock is read");
    return toNs(VirtualWorld::Impl::now() + ahead_);
}

void RankActor::sleepUntil(Ns instant) {
    settle();
    world_.sleepUntil(std::max(VirtualWorld::Impl::now(), static_cast<double>(instant) * 1e-9));
}

void RankActor::worked(SpanKind kind, std::int64_t bytes) {
    if (free_) return;
    double seconds = compute_.seconds(kind, bytes);
    if (kind == SpanKind::Forward || kind == SpanKind::Backward) {
        seconds = std::max(0.0, seconds - std::exchange(passDone_, 0));
        inBackward_ = false;
    }
    ahead_ += seconds;
    // With contention the time that work takes depends on what goes on meanwhile.
    if (!planned_.empty() || world_.options().compute.contention > 0) settle();
}

void RankActor::gradientReady(std::size_t slot) {
    const double seconds = compute_.gradientSeconds(slot);
    inBackward_ = true;
    passDone_ += seconds;
    ahead_ += seconds;
}

void RankActor::layerDone(SpanKind pass, std::size_t slot) {
    const double seconds = pass == SpanKind::Forward ? compute_.forwardSeconds(slot) : compute_.gradientSeconds(slot);
    passDone_ += seconds;
    ahead_ += seconds;
    if (world_.options().compute.contention > 0) settle();
}

void RankActor::setFree(bool free) {
    settle();
    free_ = free;
}

// Autograd keeps its place in the thread, so a backward pass cannot be left for another rank's: what it launches is
// played once the pass is over.
void RankActor::launch(std::function<void()> launch) {
    if (inBackward_) {
        planned_.emplace_back(std::exchange(ahead_, 0), std::move(launch));
        return;
    }
    settle();
    world_.inKernel(launch);
}

void RankActor::settle() {
    DASGD_CHECK(!inBackward_ && "nobody may wait inside a backward pass");
    for (auto& [seconds, launch] : std::exchange(planned_, {})) {
        spend(seconds);
        world_.inKernel(launch);
    }
    spend(std::exchange(ahead_, 0));
}

void RankActor::spend(double seconds) {
    const double contention = world_.options().compute.contention;
    if (contention == 0) {
        if (seconds > 0) world_.sleepUntil(VirtualWorld::Impl::now() + seconds);
        return;
    }
    while (seconds > 0) {
        const double slowness = world_.group().isBusy(rank_) ? 1 + contention : 1;
        const double begin = VirtualWorld::Impl::now();
        const double end = begin + seconds * slowness;
        world_.sleepUntilChange(rank_, end);
        if (VirtualWorld::Impl::now() >= end) return;
        seconds -= (VirtualWorld::Impl::now() - begin) / slowness;
    }
}

void RankActor::await(const std::function<bool()>& done, const std::string& label) {
    settle();
    const double timeout = static_cast<double>(world_.options().timeout.count()) * 1e-3;
    const double deadline = VirtualWorld::Impl::now() + timeout;
    waitingFor_ = label;
    while (!done()) {
        if (!world_.aborted().empty()) throw CommError(label + " failed: " + world_.aborted());
        if (VirtualWorld::Impl::now() >= deadline) {
            throw CommError(label + " did not end within " + std::to_string(world_.options().timeout.count()) +
                            " ms of simulated time" + world_.whoWaits(rank_));
        }
        world_.sleepUntilChange(rank_, deadline);
    }
    waitingFor_.clear();
}

}  // namespace dasgd
