// The hosts of a profile of kind "ssh", connected and looked at before any rank starts.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "experiments/cluster/ssh/host_connection.h"
#include "experiments/config/sweep.h"

namespace dasgd::experiments {

// One of the experiments that a file makes, as the first host has checked it.
struct HostedExperiment {
    std::string title;
    std::string text;  // resolved
    int workers = 1;
    double timeoutS = 60;
    std::int64_t steps = 0;
    double bytesOfRank = -1;  // bytes of weights and gradients of a rank; −1 on GPUs, whose memory bounds the ranks
};

// How a run that ended early goes on.
struct ResumePlan {
    HostedExperiment experiment;
    std::string from;         // run from whose checkpoint it resumes; "": it begins at step 0
    std::int64_t step = 0;    // step of that checkpoint
    nlohmann::json finished;  // SshRunEnd::result of a run with nothing left to train; null otherwise
};

// Owner: one thread.
class SshCluster {
public:
    // `stopped`: whether the user has given up; asked while hosts are waited for.
    explicit SshCluster(
        ClusterProfile profile, std::function<bool()> stopped = [] { return false; })
        : profile_(std::move(profile)), stopped_(std::move(stopped)) {}

    // The first `count` hosts, those that are not connected yet at the same time. Errors: of every host that cannot be
    // reached, lacks something or has another program than the first, a line each.
    Status connect(std::size_t count);
    SshCluster(const SshCluster&) = delete;
    SshCluster& operator=(const SshCluster&) = delete;

    // The experiments of a file's text, checked by the first host with the data that are there. Errors: as of a file
    // here, with its name, line and column.
    Result<std::vector<HostedExperiment>> check(const std::string& text, const std::string& source,
                                                const Overrides& overrides);

    // Asks the first host how to resume a run that ended early. `what` names the "run", or the "text" of its experiment
    // with the run that it "started" and the "earlier" one that it resumed, if they are known, and the new number of
    // "workers" if it differs. Errors: the run cannot be resumed, and why.
    Result<ResumePlan> planResume(nlohmann::json what);
    // Connects anew where a host does not answer any more, and to hosts that were not needed before. Those that are
    // there; what is wrong with others is logged.
    [[nodiscard]] std::vector<std::size_t> reconnect();
    // Those of the connected hosts that still answer; others are dropped.
    [[nodiscard]] std::vector<std::size_t> answeringHosts();
    // Lets every host know, as often as it has to, that we are here. So does waiting for an answer of any of them.
    void tellAlive();

    [[nodiscard]] const ClusterProfile& profile() const { return profile_; }
    [[nodiscard]] bool isThere(std::size_t index) const { return index < hosts_.size() && hosts_[index]; }
    void drop(std::size_t index) { hosts_[index].reset(); }
    // One that is there.
    [[nodiscard]] HostConnection& host(std::size_t index) { return *hosts_[index]; }
    void eachHost(const std::function<void(HostConnection&)>& call) {
        for (const auto& host : hosts_) {
            if (host) call(*host);
        }
    }
    // The answer of hostFacts() on that host.
    [[nodiscard]] const nlohmann::json& facts(std::size_t index) const { return facts_[index]; }
    // Address of rank 0's host as the other hosts reach it.
    [[nodiscard]] std::string masterAddress() const;

private:
    [[nodiscard]] nlohmann::json helloTo(std::size_t index) const;
    // Those of the first `count` that are missing; of each how it went. Errors: ssh cannot be started.
    Result<std::vector<Status>> connectMissing(std::size_t count);
    [[nodiscard]] Status accept(std::size_t index, const Result<nlohmann::json>& answer);

    ClusterProfile profile_;
    std::function<bool()> stopped_;
    std::vector<std::unique_ptr<HostConnection>> hosts_;
    std::vector<nlohmann::json> facts_;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();  // last sign of life to the hosts
};

}  // namespace dasgd::experiments
