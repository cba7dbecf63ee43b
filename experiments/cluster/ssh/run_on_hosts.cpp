#include "experiments/cluster/ssh/run_on_hosts.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/log.h"
#include "core/base/schema/toml_reader.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/cluster/ssh/collect_on_hosts.h"
#include "experiments/cluster/ssh/ssh_run.h"
#include "experiments/run/session/run_series.h"

namespace dasgd::experiments {

namespace {

// Read here once for what is wrong with it as a file; its experiments are checked where the data are.
Result<std::string> textOf(const std::string& file) {
    DASGD_TRY(readTomlFile(file));
    std::ifstream in(file, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
}

struct HostedPlan {
    HostedExperiment experiment;
    std::vector<RanksPlace> places;
};

Result<std::vector<HostedPlan>> planOnHosts(SshCluster& cluster, const ClusterTask& task, const std::string& text) {
    DASGD_ASSIGN(auto experiments, cluster.check(text, task.file, task.overrides));
    std::vector<HostedPlan> plans;
    for (HostedExperiment& experiment : experiments) {
        DASGD_ASSIGN(auto places, placeRanks(cluster.profile(), experiment.workers));
        plans.push_back({std::move(experiment), std::move(places)});
    }
    return plans;
}

std::size_t hostsOf(const std::vector<HostedPlan>& plans) {
    std::size_t most = 1;
    for (const HostedPlan& plan : plans) most = std::max(most, plan.places.size());
    return most;
}

std::string recordOf(const SshCluster& cluster, const SshRunEnd& end) {
    const std::string host = cluster.profile().hosts.front();
    return host + ":" +
           (end.result.is_object() ? end.result.value("workspace", "") : cluster.profile().workspaceThere());
}

nlohmann::json jsonOf(const SshRunEnd& end, const std::string& record) {
    nlohmann::json line = end.result.is_object() ? end.result["row"] : nlohmann::json{{"status", "failed"}};
    line["record"] = record;
    for (const RankEnd& rank : end.ranks) {
        nlohmann::json one = {{"rank", rank.rank}, {"host", rank.host}, {"exit", nullptr}, {"signal", nullptr}};
        if (rank.exit && rank.exit->signal == 0) one["exit"] = rank.exit->code;
        if (rank.exit && rank.exit->signal != 0) one["signal"] = rank.exit->signal;
        line["ranks"].push_back(one);
    }
    return line;
}

void report(const SshCluster& cluster, const SshRunEnd& end, const std::string& title, bool json) {
    const std::string record = recordOf(cluster, end), wrong = end.whatFailed();
    if (!wrong.empty()) logLine(LogLevel::Error, printableLines(wrong, "\n    "));
    if (json) {
        std::printf("%s\n", dumpLine(jsonOf(end, record)).c_str());
    } else if (end.result.is_object()) {
        const nlohmann::json& row = end.result["row"];
        std::printf("%s: %s\n    %s\n    recorded in %s\n", printable(title).c_str(),
                    printable(row.value("run_id", "")).c_str(),
                    printableLines(end.result.value("summary", ""), "\n    ").c_str(), printable(record).c_str());
    } else {
        std::printf("%s: no result\n    what was recorded is in %s\n", printable(title).c_str(),
                    printable(record).c_str());
    }
    std::fflush(stdout);
}

int tellPlans(const ClusterProfile& profile, const std::vector<HostedPlan>& plans) {
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const HostedPlan& plan = plans[i];
        std::printf("# %s: %s\n%s\n", printable(counted(i, plans.size(), plan.experiment.title)).c_str(),
                    printable(placementText(profile, plan.places)).c_str(), plan.experiment.text.c_str());
    }
    return kFinished;
}

int worse(int before, int now) {
    const auto rank = [](int code) { return code == kStopped ? 1 : code == kFinished ? 0 : 2; };
    return rank(now) > rank(before) ? now : before;
}

// Who gives up while hosts are waited for needs not be told that they did not answer.
int unreachable(const Error& error, StopSignals& signals) {
    if (signals.count() > 0) return kStopped;
    refuse(error);
    return kRunFailed;
}

std::string fromWhere(const ResumePlan& next) {
    return next.from.empty() ? "its beginning" : "step " + std::to_string(next.step) + " of " + next.from;
}

// One experiment after the other, each again where it fails and may.
class HostsSeries {
public:
    HostsSeries(SshCluster& cluster, const ClusterTask& task, StopSignals& signals)
        : cluster_(cluster), task_(task), signals_(signals) {}

    // False: nothing of the series can be run any more.
    bool run(HostedPlan plan, std::string title, EarlierPart earlier) {
        if (const Status placed = placeAnew(plan); !placed) return lost(placed.error());
        for (int restart = 0;; ++restart) {
            if (!task_.quiet) {
                logLine(LogLevel::Info, printable(title + ": " + placementText(cluster_.profile(), plan.places)));
            }
            const auto end = SshRun(cluster_, plan.experiment, signals_, Progress::styleFor(task_.quiet))
                                 .run(plan.places, title, earlier);
            if (!end) return lost(end.error());
            report(cluster_, *end, title, task_.json);
            const int code = end->exitCode();
            if (code == kRunFailed && signals_.count() == 0) fetchRecords();
            if (code != kRunFailed || restart == task_.restarts || signals_.count() > 0) {
                code_ = worse(code_, code);
                return end->lost.empty();
            }
            auto next = startAgain(plan.experiment, earlier, end->run);
            if (!next) return lost(next.error());
            if (!next->going.finished.is_null()) return finished(std::move(next->going.finished), title);
            logLine(LogLevel::Warning,
                    printable(title + " failed; it goes on from " + fromWhere(next->going) + " with " +
                              std::to_string(next->going.experiment.workers) + " workers, restart " +
                              std::to_string(restart + 1) + " of " + std::to_string(task_.restarts)));
            plan = {std::move(next->going.experiment), std::move(next->places)};
            earlier = {.from = std::move(next->going.from), .step = next->going.step};
        }
    }
    [[nodiscard]] int code() const { return code_; }

private:
    struct Next {
        ResumePlan going;
        std::vector<RanksPlace> places;
    };

    // A host may have been lost since the series was planned.
    Status placeAnew(HostedPlan& plan) {
        if (there_.empty()) return {};
        there_ = cluster_.reconnect();
        if (there_.empty() || there_.front() != 0) return fail(cluster_.profile().hosts.front() + ": is lost");
        DASGD_ASSIGN(plan.places, placeRanks(cluster_.profile(), plan.experiment.workers, there_));
        return {};
    }

    // Brings the records that rank 0's host did not get because it ended first or the ranks were cut off.
    void fetchRecords() {
        there_ = cluster_.reconnect();
        const auto collected = collectOnHosts(cluster_);
        there_ = cluster_.answeringHosts();
        if (collected && (collected->found > 0 || !collected->problems.empty())) {
            logLine(LogLevel::Warning, printableLines(collectedInWords(*collected), "\n    "));
        }
    }

    // On the hosts that are there, with fewer workers where they have no room for all.
    Result<Next> startAgain(const HostedExperiment& failed, const EarlierPart& earlier, const std::string& started) {
        const std::vector<std::size_t>& there = there_;
        const ClusterProfile& profile = cluster_.profile();
        if (there.empty() || there.front() != 0) {
            return fail(profile.hosts.front() +
                        ": is lost, and with it the record and the checkpoints of the run; once it is back, the same "
                        "command with --resume goes on");
        }
        auto places = placeRanks(profile, failed.workers, there);
        int workers = failed.workers;
        if (!places) {
            workers = static_cast<int>(profile.ranksPerHost) * static_cast<int>(there.size());
            DASGD_ASSIGN(places, placeRanks(profile, workers, there));
        }
        DASGD_ASSIGN(ResumePlan going, cluster_.planResume({{"text", failed.text},
                                                            {"workers", workers},
                                                            {"started", started},
                                                            {"earlier", earlier.from},
                                                            {"earlier_step", earlier.step},
                                                            {"resume", earlier.resume}}));
        return Next{std::move(going), std::move(*places)};
    }

    // Its ranks had, when the connection was lost over which they would have said so.
    bool finished(nlohmann::json result, const std::string& title) {
        report(cluster_, {.result = std::move(result)}, title, task_.json);
        return true;
    }

    bool lost(const Error& error) {
        code_ = worse(code_, unreachable(error, signals_));
        return false;
    }

    SshCluster& cluster_;
    const ClusterTask& task_;
    StopSignals& signals_;
    std::vector<std::size_t> there_;  // hosts, after a failure
    int code_ = kFinished;
};

}  // namespace

int runOnHosts(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals) {
    const auto text = textOf(task.file);
    if (!text) return refuse(text.error());
    SshCluster cluster(profile, [&signals] { return signals.count() > 0; });
    if (const Status connected = cluster.connect(1); !connected) return unreachable(connected.error(), signals);
    const auto plans = planOnHosts(cluster, task, *text);
    if (!plans) return signals.count() > 0 ? static_cast<int>(kStopped) : refuse(plans.error());
    if (const Status all = cluster.connect(hostsOf(*plans)); !all) return unreachable(all.error(), signals);
    if (task.dryRun) return tellPlans(profile, *plans);
    HostsSeries series(cluster, task, signals);
    for (std::size_t i = 0; i < plans->size() && signals.count() == 0; ++i) {
        const HostedPlan& plan = (*plans)[i];
        if (!series.run(plan, counted(i, plans->size(), plan.experiment.title), {.resume = task.resume})) break;
    }
    const int code = series.code();
    return signals.count() > 0 && code == kFinished ? static_cast<int>(kStopped) : code;
}

int resumeOnHosts(const ClusterProfile& profile, const std::string& run, std::optional<int> workers,
                  const ClusterTask& task, StopSignals& signals) {
    SshCluster cluster(profile, [&signals] { return signals.count() > 0; });
    if (const Status connected = cluster.connect(1); !connected) return unreachable(connected.error(), signals);
    nlohmann::json what{{"run", run}};
    if (workers) what["workers"] = *workers;
    auto going = cluster.planResume(std::move(what));
    if (!going) return signals.count() > 0 ? static_cast<int>(kStopped) : refuse(going.error());
    auto places = placeRanks(profile, going->experiment.workers);
    if (!places) return refuse(places.error());
    HostedPlan plan{std::move(going->experiment), std::move(*places)};
    if (const Status all = cluster.connect(hostsOf({plan})); !all) return unreachable(all.error(), signals);
    HostsSeries series(cluster, task, signals);
    const std::string title = plan.experiment.title;
    series.run(std::move(plan), title, {.from = going->from, .step = going->step});
    return series.code();
}

}  // namespace dasgd::experiments
