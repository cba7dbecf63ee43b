// One run whose ranks are on the hosts of a cluster: started over their connections, followed, stopped, ended.
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "experiments/base/process.h"
#include "experiments/base/stop_signals.h"
#include "experiments/cluster/ssh/ssh_cluster.h"
#include "experiments/run/launch/progress.h"

namespace dasgd::experiments {

// How one rank ended.
struct RankEnd {
    int rank = 0;
    std::string host;
    std::optional<ProcessExit> exit;  // nullopt: its host was lost before it reported the exit
    std::string words;                // last lines of its log
    std::string log;                  // path of its log on that host
    [[nodiscard]] bool failed() const;
};

struct SshRunEnd {
    std::vector<RankEnd> ranks;     // in the order in which they ended
    std::vector<std::string> lost;  // hosts that were lost, each with the reason
    nlohmann::json result;          // report of rank 0: "row", "workspace", "summary"; null without one
    std::string run;                // id of the run, as soon as rank 0's host has reported it
    bool stopped = false;           // the user stopped the run
    bool endedHere = false;         // killed by this launcher, as they did not stop in time or the user asked again
    [[nodiscard]] int exitCode() const;
    // Describes for people what failed, the first rank first.
    [[nodiscard]] std::string whatFailed() const;
};

// The earlier run from which ranks resume.
struct EarlierPart {
    bool resume = false;    // go on with what ended early in the workspace with the same settings, if anything did
    std::string from;       // go on with this run; "": none
    std::int64_t step = 0;  // step of the checkpoint of that run
};

// Owner: one thread.
class SshRun {
public:
    SshRun(SshCluster& cluster, const HostedExperiment& experiment, StopSignals& signals, Progress::Style style)
        : cluster_(cluster), experiment_(experiment), signals_(signals), style_(style) {}

    // Starts the ranks and follows them until all have ended. `places`: on hosts that are connected. The first signal
    // stops all ranks at one step, the second ends them. Errors: they could not be started; none is left behind.
    Result<SshRunEnd> run(const std::vector<RanksPlace>& places, const std::string& title, const EarlierPart& earlier);

private:
    using Clock = std::chrono::steady_clock;

    Status start(const EarlierPart& earlier);
    void follow(Progress& progress);
    void wait() const;
    void takeEvents(Progress& progress);
    void take(std::size_t host, const nlohmann::json& event, Progress& progress);
    void lose(std::size_t host);
    [[nodiscard]] std::chrono::seconds mostSilence() const;
    void askForStop();
    void endAll();
    [[nodiscard]] bool over() const;

    SshCluster& cluster_;
    const HostedExperiment& experiment_;
    StopSignals& signals_;
    const Progress::Style style_;
    std::vector<RanksPlace> places_;
    std::vector<bool> done_;         // by place: its ranks have ended, or its host was lost
    std::vector<std::size_t> lost_;  // hosts
    SshRunEnd end_;
    std::int64_t completed_ = 0;
    std::optional<Clock::time_point> due_;  // instant at which the ranks that still run are ended
    bool stopAsked_ = false, ended_ = false, failed_ = false;
};

}  // namespace dasgd::experiments
