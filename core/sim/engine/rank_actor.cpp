#include "core/sim/engine/rank_actor.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/sim/engine/virtual_comm.h"

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
    return toNs(endOf(ahead_));
}

void RankActor::sleepUntil(Ns instant) {
    settle();
    world_.sleepUntil(std::max(VirtualWorld::Impl::now(), static_cast<double>(instant) * 1e-9));
    resume();
}

void RankActor::charge(SpanKind kind, std::int64_t bytes) {
    if (free_) return;
    double seconds = compute_.seconds(kind, bytes);
    // Work on a gradient that the backward pass under way has ready, as coding it: nobody may wait before the pass
    // ends.
    if (inBackward_ && kind != SpanKind::Backward) {
        ahead_ += seconds;
        return;
    }
    if (kind == SpanKind::Forward || kind == SpanKind::Backward) {
        seconds = std::max(0.0, seconds - std::exchange(passDone_, 0));
        inBackward_ = false;
    }
    ahead_ += seconds;
    // With contention the time of work depends on concurrent transfers; and a failure must find the rank at the step
    // that it was in.
    if (!planned_.empty() || world_.options().compute.contention > 0 || isTouched()) settle();
}

void RankActor::abandon() noexcept {
    planned_.clear();
    passDone_ = 0;
    inBackward_ = false;
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
    if (world_.options().compute.contention > 0 || isTouched()) settle();
}

bool RankActor::computes() const { return world_.options().compute.mode != "time-only"; }

void RankActor::setUntimed(bool untimed) {
    settle();
    free_ = untimed;
}

// Autograd keeps its state in the thread, so a backward pass cannot be interrupted for another rank's: operations that
// it launches are played back once the pass is over.
void RankActor::launch(std::function<void()> launch) {
    if (inCallback_) return launch();
    if (inBackward_) {
        planned_.emplace_back(std::exchange(ahead_, 0), std::move(launch));
        return;
    }
    settle();
    world_.inKernel(launch);
}

void RankActor::inCallback(bool free, const std::function<void()>& work) {
    const bool freeBefore = std::exchange(free_, free);
    const bool nested = std::exchange(inCallback_, true);
    work();
    inCallback_ = nested;
    free_ = freeBefore;
}

void RankActor::settle() {
    DASGD_CHECK(!inBackward_ && "nobody may wait inside a backward pass");
    for (auto& [seconds, launch] : std::exchange(planned_, {})) {
        spend(seconds);
        world_.inKernel(launch);
    }
    spend(std::exchange(ahead_, 0));
}

double RankActor::endOf(double seconds) const {
    Outages* outages = world_.outages();
    return outages ? outages->host(rank_).endOf(VirtualWorld::Impl::now(), seconds)
                   : VirtualWorld::Impl::now() + seconds;
}

bool RankActor::isTouched() const {
    Outages* outages = world_.outages();
    if (!outages) return false;
    const double now = VirtualWorld::Impl::now();
    return outages->host(rank_).next(now).from <= now + ahead_;
}

void RankActor::liveUntil(double instant) {
    if (dead_) return;
    if (std::isfinite(instant)) {
        world_.sleepUntil(instant);
        return;
    }
    Outage outage = world_.outages()->host(rank_).next(VirtualWorld::Impl::now());
    while (std::isfinite(outage.until)) outage = world_.outages()->host(rank_).next(outage.until);
    world_.sleepUntil(std::max(outage.from, VirtualWorld::Impl::now()));
    dead_ = true;
    ahead_ = 0;
    world_.sleepUntilOthersEnd(rank_);
    throw CommError(hostFailureText());
}

std::string RankActor::hostFailureText() const { return world_.outages()->describe(rank_); }

void RankActor::resume() {
    if (!world_.outages()) return;
    const double now = VirtualWorld::Impl::now();
    const Outage outage = world_.outages()->host(rank_).next(now + kSameInstant);
    if (outage.from <= now) liveUntil(outage.until);
}

void RankActor::spend(double seconds) {
    const double contention = world_.options().compute.contention;
    if (contention == 0) {
        if (seconds > 0) liveUntil(endOf(seconds));
        return;
    }
    while (seconds > 0) {
        resume();
        if (dead_) return;
        const double slowness = world_.isBusy(rank_) ? 1 + contention : 1;
        const double begin = VirtualWorld::Impl::now();
        const double end = begin + seconds * slowness;
        const double outage = world_.outages() ? world_.outages()->host(rank_).next(begin + kSameInstant).from : end;
        world_.sleepUntilChange(rank_, std::min(end, outage));
        if (VirtualWorld::Impl::now() >= end) return;
        seconds -= (VirtualWorld::Impl::now() - begin) / slowness;
    }
}

void RankActor::await(const std::function<bool()>& done, const Label& label) {
    settle();
    if (dead_) throw CommError(hostFailureText());
    awaited_ = &label;
    try {
        awaitUntil(done, label);
    } catch (...) {
        lastAwaited_ = label();
        awaited_ = nullptr;
        throw;
    }
    awaited_ = nullptr;
    lastAwaited_.clear();
}

void RankActor::awaitUntil(const std::function<bool()>& done, const Label& label) {
    const double timeout = static_cast<double>(world_.options().timeout.count()) * 1e-3;
    const double deadline = VirtualWorld::Impl::now() + timeout;
    for (resume(); !done(); resume()) {
        if (!world_.aborted().empty()) throw CommError(label() + " failed: " + world_.aborted());
        if (VirtualWorld::Impl::now() >= deadline) {
            throw CommError(label() + " did not end within " + std::to_string(world_.options().timeout.count()) +
                            " ms of simulated time" + world_.outagesText() + world_.waitingText(rank_));
        }
        world_.sleepUntilChange(rank_, deadline);
    }
}

}  // namespace dasgd
