// A kind of cluster as a plug-in: placement of the ranks, their communicators, clocks and devices. One .cpp each, the
// class hidden, registered by its last line; code that depends on the kind of backend asks the plug-in.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/backends/cluster.h"
#include "core/backends/layout.h"
#include "core/base/clock.h"
#include "core/base/control.h"
#include "core/base/event.h"
#include "core/base/schema/registry.h"
#include "core/comm/communicator.h"
#include "core/comm/gloo/gloo.h"
#include "core/comm/gloo/interface.h"
#include "core/exec/cpu_executor.h"
#include "core/exec/executor.h"
#include "core/gpu/tensor_device.h"
#include "core/sim/compute/compute.h"
#include "core/sim/faults/faults.h"
#include "core/sim/network/network.h"

namespace dasgd {

// Objects that one rank runs on. Owned by its host; for the rank's own thread, while its body runs.
struct HostedRank {
    Communicator& comm;
    Clock& clock;
    StepGate* gate = nullptr;  // null: nobody can stop the run
    MakeExecutor executor = onProcessor();
    TensorDevice* device = nullptr;  // null: it computes on the CPU
};

// The ranks of one process. Owner: the thread that opened it. Its destructor may wait for peers until the deadline.
class RankHost {
public:
    virtual ~RankHost() = default;
    // Runs `body` once for every rank of the process, at once or in turns, and returns when all have returned. Bodies
    // must not throw. Once.
    virtual void run(const std::function<void(HostedRank& rank)>& body) = 0;
    // From inside a body: the other ranks of the process that wait for its rank, or will wait, get a CommError that
    // says `reason`. Ranks of other processes learn it from their launcher.
    virtual void abort(const std::string& reason) = 0;
};

// Contents of [network], [compute] and [faults], and the time of a step, which takes seconds to obtain where it has to
// be measured.
struct SimulatedCluster {
    const Topology& topology;
    const NetworkParams& network;
    const ComputeParams& compute;
    const std::optional<FaultParams>& faults;
    std::function<Result<StepTimes>()> stepTimes;
    double stepsPerEpoch = 1;
    std::int64_t microBatches = 1;  // micro-batches of one step
};

// Meeting point given by another launcher (torchrun, srun).
struct Meeting {
    Rendezvous rendezvous;
    Interface interface;
};

// A process's request for its ranks. All of it is used during open() alone, except `clock`, `control` and what `sink`
// answers, which outlive the host.
struct HostRequest {
    std::vector<int> ranks;          // the ranks of this process, as the layout has them
    Clock& clock;                    // the run's time line on this host; unused where time is simulated
    RunControl* control = nullptr;   // null: nobody can stop the run
    std::filesystem::path folder;    // where the ranks of all processes find each other without a meeting
    std::optional<Meeting> meeting;  // only for a rank that is a process of its own
    std::optional<int> localRank;    // for such a rank: its number on this host, from 0; nullopt where nobody told
    // Called once per rank, when it is connected, before a link is emulated and before its body. May be empty. An error
    // ends open() with it.
    std::function<Status(Communicator&)> connected;
    // Returns the sink of a rank's records.
    std::function<EventSink&(Rank)> sink;

    const ClusterParams* cluster = nullptr;
    const SimulatedCluster* simulated = nullptr;  // set where the layout says that time is simulated
};

class Backend {
public:
    virtual ~Backend() = default;
    [[nodiscard]] virtual Layout layout(int ranks) const = 0;
    // Refuses what in the document does not go with this backend, `cluster` being its [cluster]; the error has the
    // place.
    [[nodiscard]] virtual Status check(const Value& document, const ClusterParams& cluster) const = 0;
    // Checks, before all ranks of a run are started on this machine, that it has what they need. It may load libraries
    // of drivers and take seconds, so it is asked in a process of its own (experiments/config/machine_check.h). Answers
    // what was found, in words, "" where nothing is needed. Errors: what is missing, and what to do.
    [[nodiscard]] virtual Result<std::string> checkMachine(const ClusterParams& cluster) const {
        static_cast<void>(cluster);
        return std::string();
    }
    // Loads what the process needs before anything in it uses LibTorch, which looks once for what there is. For ranks
    // whose process does more than open(). Errors: what is missing, and what to do.
    [[nodiscard]] virtual Status prepareProcess() const { return {}; }
    // Blocks until the ranks are connected. Errors: a peer that did not come in time, a cluster that cannot be built.
    [[nodiscard]] virtual Result<std::unique_ptr<RankHost>> open(const HostRequest& request) const = 0;
};

using BackendRegistry = Registry<Backend>;

// For check(): a backend with real time takes no section of the simulated cluster.
[[nodiscard]] Status refuseSimulatedSections(const Value& document, const ClusterParams& cluster);
// For open(): `comm`, slowed down to the emulated link where the cluster has one.
[[nodiscard]] std::unique_ptr<Communicator> withLink(std::unique_ptr<Communicator> comm, const ClusterParams& cluster,
                                                     Clock& clock);

}  // namespace dasgd
