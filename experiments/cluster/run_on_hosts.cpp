#include "experiments/cluster/run_on_hosts.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/log.h"
#include "core/base/toml_reader.h"
#include "experiments/base/errors.h"
#include "experiments/base/text.h"
#include "experiments/cluster/ssh_run.h"
#include "experiments/launch/run_series.h"

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
    for (std::size_t at = 0; at < wrong.size();) {
        const auto stop = std::min(wrong.find('\n', at), wrong.size());
        logLine(LogLevel::Error, printable(wrong.substr(at, stop - at)));
        at = stop + 1;
    }
    if (json) {
        std::printf("%s\n", dumpLine(jsonOf(end, record)).c_str());
    } else if (end.result.is_object()) {
        const nlohmann::json& row = end.result["row"];
        std::printf("%s: %s\n    %s\n    recorded in %s\n", printable(title).c_str(),
                    printable(row.value("run_id", "")).c_str(), printable(end.result.value("summary", "")).c_str(),
                    printable(record).c_str());
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

}  // namespace

int runOnHosts(const ClusterProfile& profile, const ClusterTask& task, StopSignals& signals) {
    const auto text = textOf(task.file);
    if (!text) return refuse(text.error());
    SshCluster cluster(profile);
    const auto unreachable = [](const Error& error) {
        refuse(error);
        return static_cast<int>(kRunFailed);
    };
    if (const Status connected = cluster.connect(1); !connected) return unreachable(connected.error());
    const auto plans = planOnHosts(cluster, task, *text);
    if (!plans) return refuse(plans.error());
    if (const Status all = cluster.connect(hostsOf(*plans)); !all) return unreachable(all.error());
    if (task.dryRun) return tellPlans(profile, *plans);
    int code = kFinished;
    for (std::size_t i = 0; i < plans->size() && signals.count() == 0; ++i) {
        const HostedPlan& plan = (*plans)[i];
        const std::string title = counted(i, plans->size(), plan.experiment.title);
        if (!task.quiet) logLine(LogLevel::Info, title + ": " + placementText(profile, plan.places));
        auto end = SshRun(cluster, plan.experiment, signals, Progress::styleFor(task.quiet))
                       .run(plan.places, title, task.resume);
        if (!end) return unreachable(end.error());
        report(cluster, *end, title, task.json);
        code = worse(code, end->exitCode());
        if (!end->lost.empty()) break;
    }
    return signals.count() > 0 && code == kFinished ? static_cast<int>(kStopped) : code;
}

}  // namespace dasgd::experiments
