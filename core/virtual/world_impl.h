// The engine, its actors and the group; seen by core/virtual alone.
#pragma once

#include <simgrid/s4u.hpp>

#include <memory>
#include <string>
#include <vector>

#include "core/virtual/group.h"
#include "core/virtual/wire.h"
#include "core/virtual/world.h"

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
    // Sleeps until something changed for `rank`, or until `instant`.
    void sleepUntilChange(int rank, double instant);
    [[nodiscard]] static double now() { return simgrid::s4u::Engine::get_clock(); }

    [[nodiscard]] const VirtualOptions& options() const { return options_; }
    [[nodiscard]] VirtualGroup& group() { return *group_; }
    [[nodiscard]] const std::string& aborted() const { return aborted_; }
    // "; rank 2 waits for …; rank 3 computes": what ranks other than `self` are doing, the first few of them.
    [[nodiscard]] std::string whoWaits(int self) const;

private:
    void changed(int rank);

    const Topology& topology_;
    const VirtualOptions options_;
    simgrid::s4u::Engine engine_;
    std::vector<simgrid::s4u::Host*> hosts_;
    std::unique_ptr<Wire> wire_;
    std::unique_ptr<VirtualGroup> group_;
    std::vector<std::unique_ptr<RankActor>> actors_;
    std::vector<simgrid::s4u::SemaphorePtr> bells_;  // of each rank: rung when it listens and something changed
    std::vector<bool> listens_;
    std::string aborted_;
};

}  // namespace dasgd
