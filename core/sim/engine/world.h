// The virtual cluster: every rank is an actor of one SimGrid engine in one thread. It runs the ordinary worker loop
// with real tensors; only time is simulated. Results repeat to the last bit, and so do times where the step time is
// given or estimated: a measured one is measured anew by every run.
//
// A rank runs ahead of simulated time while it only computes, and lets time catch up when it communicates or waits:
// SimGrid is called once or twice per round instead of at every span.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/cost/messages/message_schedule.h"
#include "core/exec/simulated_time.h"
#include "core/sim/compute/compute.h"
#include "core/sim/faults/faults.h"
#include "core/sim/network/network.h"

namespace dasgd {

struct VirtualOptions {
    int ranks = 1;
    std::chrono::milliseconds timeout{60'000};  // deadline of one communication, in simulated time
    NetworkParams network;
    ComputeParams compute;
    StepTimes times;
    std::optional<FaultParams> faults;
    // Called as hosts and links fail and come back, in SimGrid's context; the rank's step is the one that it is in.
    std::function<void(const FaultEvent&)> faulted;
};

// Arguments of a rank's body; valid while it runs.
struct VirtualRank {
    Communicator& comm;
    Clock& clock;
    SimulatedTime& simulatedTime;
};

// One at a time in a process. Owner: the main thread.
class VirtualWorld {
public:
    // Errors: a platform that cannot be built, a collective that these ranks cannot carry out.
    static Result<std::unique_ptr<VirtualWorld>> create(const Topology& topology, const VirtualOptions& options);
    ~VirtualWorld();
    VirtualWorld(const VirtualWorld&) = delete;
    VirtualWorld& operator=(const VirtualWorld&) = delete;

    // Runs `body` once for each rank, each as an actor, and returns when all have returned. Bodies must not throw. Call
    // it once.
    void run(const std::function<void(VirtualRank& rank)>& body);
    // From inside a body: every rank that waits, or will wait, gets a CommError that says `reason`.
    void abort(const std::string& reason);

    class Impl;

private:
    explicit VirtualWorld(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace dasgd
