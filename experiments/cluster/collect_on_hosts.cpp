#include "experiments/cluster/collect_on_hosts.h"

#include <chrono>
#include <map>
#include <thread>

#include "experiments/cluster/host_journals.h"
#include "experiments/cluster/host_messages.h"
#include "experiments/forward/run_secret.h"

namespace dasgd::experiments {

namespace {

using std::chrono::seconds;

constexpr seconds kLookPatience{30}, kCollectPatience{600};
constexpr std::chrono::milliseconds kLook{200};

using RanksOfHosts = std::map<std::string, std::vector<int>>;  // by host

// By run.
Result<std::map<std::string, RanksOfHosts>> whatIsLeft(SshCluster& cluster, CollectedRanks& collected) {
    std::map<std::string, RanksOfHosts> left;
    const nlohmann::json where = {{"workspace", cluster.profile().workspaceThere()}};
    const std::string& first = cluster.profile().hosts.front();
    cluster.eachHost([&](HostConnection& host) {
        if (host.name() == first) return;
        const auto answer = host.ask(kJournals, where, kLookPatience);
        if (!answer) return collected.problems.push_back(answer.error().message);
        for (const auto& [run, ranks] : answer->at("left").items())
            left[run][host.name()] = ranks.get<std::vector<int>>();
    });
    return left;
}

Status collectRun(SshCluster& cluster, const std::string& run, const RanksOfHosts& hosts, CollectedRanks& collected) {
    DASGD_ASSIGN(const RunSecret secret, RunSecret::make());
    JournalsRequest request{.workspace = cluster.profile().workspaceThere(),
                            .run = run,
                            .secret = secret.hex(),
                            .address = cluster.masterAddress(),
                            .endpoint = {},
                            .ranks = {}};
    for (const auto& [host, ranks] : hosts) request.ranks.insert(request.ranks.end(), ranks.begin(), ranks.end());
    collected.found += static_cast<int>(request.ranks.size());
    DASGD_ASSIGN(const nlohmann::json listens, cluster.host(0).ask(kCollect, request.toJson(), kLookPatience));
    request.endpoint = listens.value("endpoint", "");
    cluster.eachHost([&](HostConnection& host) {
        const auto ranks = hosts.find(host.name());
        if (ranks == hosts.end()) return;
        request.ranks = ranks->second;
        const auto forwards = host.ask(kForward, request.toJson(), kLookPatience);
        if (!forwards) collected.problems.push_back(forwards.error().message);
    });
    const auto until = std::chrono::steady_clock::now() + kCollectPatience;
    while (std::chrono::steady_clock::now() < until) {
        DASGD_ASSIGN(const nlohmann::json now,
                     cluster.host(0).ask(kCollected, nlohmann::json::object(), kLookPatience));
        if (now.contains("ranks")) {
            collected.complete += static_cast<int>(now.at("ranks").size());
            return {};
        }
        cluster.eachHost([](HostConnection& host) { static_cast<void>(host.tell(kAlive)); });
        std::this_thread::sleep_for(kLook);
    }
    return fail(cluster.profile().hosts.front() + ": is not done with the records of " + run);
}

}  // namespace

Result<CollectedRanks> collectOnHosts(SshCluster& cluster) {
    if (!cluster.isThere(0)) return fail(cluster.profile().hosts.front() + ": is not there, and has the runs' records");
    CollectedRanks collected;
    DASGD_ASSIGN(const auto left, whatIsLeft(cluster, collected));
    for (const auto& [run, hosts] : left) {
        const Status done = collectRun(cluster, run, hosts, collected);
        if (!done) collected.problems.push_back(done.error().message);
    }
    return collected;
}

std::string collectedInWords(const CollectedRanks& collected) {
    std::string text = collected.found == 0
                           ? "no host keeps records that the first one lacks"
                           : "records of " + std::to_string(collected.found) +
                                 " ranks came later; complete are those of " + std::to_string(collected.complete);
    for (const std::string& problem : collected.problems) text += "\n" + problem;
    return text;
}

}  // namespace dasgd::experiments
