// One rank as an actor: its clock, its simulated time, its communicator. All of it runs on the actor's own stack;
// SimGrid is entered through `VirtualWorld::Impl` alone.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/comm/communicator.h"
#include "core/exec/simulated_time.h"
#include "core/sim/engine/world_impl.h"

namespace dasgd {

// Simulated seconds as an instant of the run.
[[nodiscard]] Ns toNs(double seconds);

class RankActor final : public Clock, public SimulatedTime {
public:
    RankActor(VirtualWorld::Impl& world, int rank);

    // Runs `body`; the function of the actor.
    void live(const std::function<void(VirtualRank&)>& body);

    // Functions of Clock.
    [[nodiscard]] Ns now() const override;
    void sleepUntil(Ns instant) override;
    // Functions of SimulatedTime.
    void charge(SpanKind kind, std::int64_t bytes) override;
    void abandon() noexcept override;
    void gradientReady(std::size_t slot) override;
    void layerDone(SpanKind pass, std::size_t slot) override;
    void setBatchShare(double share, bool sameStep) override { compute_.setBatchShare(share, sameStep); }
    void setUntimed(bool untimed) override;
    [[nodiscard]] bool computes() const override;

    // Runs `launch` in SimGrid's context at the rank's present time: at once, or, inside a backward pass, when
    // simulated time has reached that point.
    void launch(std::function<void()> launch);
    // In SimGrid's context, at the end of an operation of this rank: calls `work`, whose launches go out at once,
    // untimed where `free`. `work` must not throw.
    void inCallback(bool free, const std::function<void()>& work);
    // Lets simulated time catch up with what has been computed.
    void settle();
    // Names an operation for errors.
    using Label = std::function<std::string()>;
    // Waits until `done`; `label` is called for errors alone, as most waits have none. Throws CommError past the
    // deadline or when the run is aborted.
    void await(const std::function<bool()>& done, const Label& label);

    [[nodiscard]] bool isFree() const { return free_; }
    [[nodiscard]] int rank() const { return rank_; }
    [[nodiscard]] VirtualWorld::Impl& world() { return world_; }
    // Name of the operation that the rank waits for; "" while it waits for none.
    [[nodiscard]] std::string waitingFor() const { return awaited_ ? (*awaited_)() : lastAwaited_; }
    [[nodiscard]] bool hasEnded() const { return ended_; }

private:
    void awaitUntil(const std::function<bool()>& done, const Label& label);
    // Computes for so long, and rests while the host is out.
    void spend(double seconds);
    // Sleeps until `instant`. Throws CommError when the host has failed for good and the run is over for this rank.
    void liveUntil(double instant);
    // Waits while the host is out: it does nothing until it is back.
    void resume();
    [[nodiscard]] std::string hostFailureText() const;
    // Instant at which work of `seconds` that begins now is done; infinite where the host does not come back before.
    [[nodiscard]] double endOf(double seconds) const;
    // True where work computed since simulated time last caught up reaches into an outage.
    [[nodiscard]] bool isTouched() const;

    VirtualWorld::Impl& world_;
    const int rank_;
    ComputeModel compute_;

    double ahead_ = 0;     // computed since simulated time last caught up
    double passDone_ = 0;  // computed so far of the pass under way
    bool inBackward_ = false;
    bool free_ = false;
    bool inCallback_ = false;
    bool ended_ = false;
    bool dead_ = false;  // its host failed for good
    std::vector<std::pair<double, std::function<void()>>>
        planned_;                     // launches of the backward pass, each after so many seconds
    const Label* awaited_ = nullptr;  // during await()
    std::string lastAwaited_;         // what the rank waited for when await() threw
};

}  // namespace dasgd
