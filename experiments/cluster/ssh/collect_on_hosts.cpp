#include "experiments/cluster/ssh/collect_on_hosts.h"

#include <chrono>
#include <map>
#include <set>
#include <thread>

#include "experiments/cluster/host/host_journals.h"
#include "experiments/cluster/host/host_messages.h"
#include "experiments/transport/curve/run_secret.h"

namespace dasgd::experiments {

namespace {

using std::chrono::seconds;

// For a host that has to start the collector, too. One that hangs for longer is no longer heard by others, either.
constexpr seconds kLookPatience{25}, kCollectPatience{600};
static_assert(kLookPatience < kMostSilence);
constexpr std::chrono::milliseconds kLook{200};

using RanksOfHosts = std::map<std::string, std::vector<int>>;  // by host

// By run, of those that the first host has, and that have ended.
Result<std::map<std::string, RanksOfHosts>> whatIsLeft(SshCluster& cluster, CollectedRanks& collected) {
    std::map<std::string, RanksOfHosts> left;
    const nlohmann::json where = {{"workspace", cluster.profile().workspaceThere()}};
    DASGD_ASSIGN(const nlohmann::json home, cluster.host(0).ask(kJournals, where, kLookPatience));
    const std::set<std::string> ended = home.at("ended").get<std::set<std::string>>();
    for (std::size_t i = 1; i < cluster.profile().hosts.size(); ++i) {
        if (!cluster.isThere(i)) {
            collected.problems.push_back(cluster.profile().hosts[i] + ": was not asked, as it is not there");
            continue;
        }
        const auto answer = cluster.host(i).ask(kJournals, where, kLookPatience);
        if (!answer) {
            collected.problems.push_back(answer.error().message);
            continue;
        }
        // A workspace that hosts share is the first one's.
        if (answer->value("place", "") == home.value("place", "")) continue;
        for (const auto& [run, ranks] : answer->at("left").items()) {
            if (ended.contains(run)) left[run][cluster.profile().hosts[i]] = ranks.get<std::vector<int>>();
        }
    }
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
        cluster.tellAlive();
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
    std::string text = "no host that was asked keeps records that the first one lacks";
    if (collected.found > 0) {
        text = "the first host lacked records of " + std::to_string(collected.found) +
               " ranks; complete are now those of " + std::to_string(collected.complete);
    }
    for (const std::string& problem : collected.problems) text += "\n" + problem;
    return text;
}

}  // namespace dasgd::experiments
