// The engine, its actors and their groups; seen by core/sim alone.
#pragma once

#include <simgrid/s4u.hpp>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/comm/group_keys.h"
#include "core/sim/collectives/group.h"
#include "core/sim/engine/world.h"
#include "core/sim/faults/outages.h"
#include "core/sim/network/background.h"
#include "core/sim/network/simgrid.h"
#include "core/sim/network/wire.h"

namespace dasgd {

class RankActor;

class VirtualWorld::Impl {
public:
    Impl(const Topology& topology, const VirtualOptions& options);
    ~Impl();
    Status build();
    void run(const std::function<void(VirtualRank&)>& body);
    void abort(const std::string& reason);

    // For actors. Runs `work` in SimGrid's context. Other actors may run before it returns.
    void inKernel(const std::function<void()>& work);
    // Sleeps until `instant`, in simulated seconds.
    void sleepUntil(double instant);
    // Sleeps until something changed for `rank`, or until `instant`; not at all where that has passed.
    void sleepUntilChange(int rank, double instant);
    // For a rank whose host does not come back: sleeps until the run is aborted or every other rank has ended or has
    // failed for good.
    void sleepUntilOthersEnd(int rank);
    [[nodiscard]] static double now() { return simgrid::s4u::Engine::get_clock(); }

    [[nodiscard]] const VirtualOptions& options() const { return options_; }
    // Null where no failures are configured.
    [[nodiscard]] Outages* outages() { return outages_.get(); }
    // The ranks of `group`; made when the first of them asks.
    [[nodiscard]] VirtualGroup& groupOf(const Group& group);
    [[nodiscard]] GroupKeys& keys() { return keys_; }
    // True where a collective of this rank is under way.
    [[nodiscard]] bool isBusy(int rank) const { return links_->busy[static_cast<std::size_t>(rank)] > 0; }
    [[nodiscard]] const std::string& aborted() const { return aborted_; }
    // Text for errors: the hosts and links that are out now, the first few of them: "; rank 3: its host failed at 0.5
    // s".
    [[nodiscard]] std::string outagesText() const;
    // Text for errors: what ranks other than `self` are doing, the first few of them: "; rank 2 waits for …; rank 3
    // computes".
    [[nodiscard]] std::string waitingText(int self) const;

private:
    void changed(int rank);
    // Called when one of the active ranks has ended or failed for good.
    void oneLess();

    const Topology& topology_;
    const VirtualOptions options_;
    SimGridEngine engine_;
    std::vector<simgrid::s4u::Host*> hosts_;
    std::unique_ptr<Wire> wire_;
    std::shared_ptr<RankLinks> links_;
    std::map<std::string, std::unique_ptr<VirtualGroup>> groups_;  // by path
    GroupKeys keys_;
    std::unique_ptr<Outages> outages_;
    std::unique_ptr<Background> background_;
    int active_ = 0;  // ranks that have neither ended nor failed for good
    int ended_ = 0;
    std::vector<std::unique_ptr<RankActor>> actors_;
    std::vector<simgrid::s4u::SemaphorePtr> wakeups_;  // for each rank: released when it waits and something changed
    std::vector<bool> listens_;
    std::string aborted_;
};

}  // namespace dasgd
