// `dasgd collect`: takes in what ranks of other hosts recorded of a run that has ended here.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "core/base/log.h"
#include "experiments/base/stop_signals.h"
#include "experiments/base/text.h"
#include "experiments/cluster/ssh/collect_on_hosts.h"
#include "experiments/commands/command.h"
#include "experiments/ranks/meeting/rank_environment.h"
#include "experiments/tools/report/run_summary.h"
#include "experiments/transport/records/record_intake.h"
#include "storage/collect/record_stream.h"
#include "storage/write/late_records.h"

namespace dasgd::experiments {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kRest{20}, kGoodbye{3000};

struct CollectOptions {
    std::string runId, workspace, cluster, address = "127.0.0.1";
    std::vector<int> ranks;
    int port = 0;
    double patience = 60;
    bool json = false;
};

// Where forwarders find it, before the first of them comes.
void announce(const CollectOptions& options, const std::string& endpoint) {
    if (options.json) {
        std::printf("%s\n", dumpLine({{"endpoint", endpoint}}).c_str());
    } else {
        std::printf(
            "On the host of each rank K, with the same %s:\n    dasgd forward %s --rank K --to %s -w WORKSPACE\n",
            RunSecret::kVariable, options.runId.c_str(), endpoint.c_str());
    }
    std::fflush(stdout);
}

// Until all ranks are here, nothing has come for a while, or somebody gives up.
Status follow(storage::LateRecords& late, const RecordStreams& streams, milliseconds patience, StopSignals& signals) {
    auto news = steady_clock::now();
    while (signals.count() == 0 && steady_clock::now() - news < patience) {
        DASGD_ASSIGN(const std::size_t got, late.collect());
        if (got > 0) news = steady_clock::now();
        if (std::ranges::all_of(streams, [](const auto& stream) { return stream->isCommitted(); })) break;
        if (got == 0) std::this_thread::sleep_for(kRest);
    }
    return {};
}

Result<int> collectHere(const CollectOptions& options, StopSignals& signals) {
    DASGD_ASSIGN(const auto secret, RunSecret::fromEnvironment(processEnvironment));
    if (!secret) return fail(std::string(RunSecret::kVariable) + " is not set: without it no forwarder is let in");
    DASGD_ASSIGN(auto store, storage::Store::open(options.workspace));
    RecordStreams streams;
    for (const int rank : options.ranks) streams.push_back(std::make_shared<storage::RecordStream>(rank));
    DASGD_ASSIGN(const auto late, storage::LateRecords::open(store, options.runId, streams));
    RecordIntake intake(options.runId, streams);
    DASGD_ASSIGN(const auto server, serveIntake(options.address, options.port, *secret, intake));
    announce(options, server->endpoint());
    const milliseconds patience(static_cast<std::int64_t>(options.patience * 1e3));
    DASGD_TRY(follow(*late, streams, patience, signals));
    DASGD_ASSIGN(const std::vector<int> ended, late->finish());
    intake.sayDone(kGoodbye);
    for (const auto& stream : streams) {
        if (std::ranges::count(ended, stream->rank()) > 0) continue;
        const std::string damage = stream->damage();
        logLine(LogLevel::Warning, "not all that rank " + std::to_string(stream->rank()) + " recorded has come" +
                                       (damage.empty() ? "" : ": " + damage));
    }
    if (options.json) {
        std::printf("%s\n", dumpLine({{"run_id", options.runId}, {"collected", ended}}).c_str());
    } else {
        std::printf("%s: the records of %zu of %zu ranks are complete\n", options.runId.c_str(), ended.size(),
                    options.ranks.size());
    }
    return static_cast<int>(ended.size() == options.ranks.size() ? kFinished : kRunFailed);
}

int collectOnCluster(const CollectOptions& options) {
    const auto profile = findClusterProfile(options.cluster, clusterFolders(".", processEnvironment));
    if (!profile) return refuse(profile.error());
    if (profile->kind != ClusterProfile::kSsh) {
        return refuse({"cluster '" + profile->name + "' is of kind \"" + profile->kind +
                       "\"; journals are brought together over \"ssh\""});
    }
    StopSignals signals;
    SshCluster cluster(*profile, [&signals] { return signals.count() > 0; });
    static_cast<void>(cluster.reconnect());
    const auto collected = collectOnHosts(cluster);
    if (!collected) return refuse(collected.error());
    std::printf("%s\n", printableLines(collectedInWords(*collected), "\n").c_str());
    return collected->isComplete() ? kFinished : kRunFailed;
}

Action declareCollect(CLI::App& app) {
    auto options = std::make_shared<CollectOptions>();
    CLI::Option* run = app.add_option("RUN", options->runId, "The run's id");
    app.add_option("--rank", options->ranks, "Whose records are missing, of other hosts; may be given again")
        ->check(CLI::Range(0, (1 << 20) - 1));
    app.add_option("--address", options->address, "Of this host, towards the others")->capture_default_str();
    app.add_option("--port", options->port, "0: a free one")->check(CLI::Range(0, 65535))->capture_default_str();
    app.add_option("--patience", options->patience, "Seconds to wait for the next record")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1e6));
    app.add_option(
           "--on", options->cluster,
           "All that the hosts of a cluster still keep of runs of its first host, over ssh: NAME.toml here or in "
           "~/.config/dasgd/clusters says which")
        ->excludes(run);
    addWorkspaceOption(app, options->workspace);
    app.add_flag("--json", options->json, "Lines of JSON: first where it listens, at the end which ranks are complete");
    app.footer(
        "Rank 0's host takes in the records of all ranks while a run goes on. Where rank 0 died, or a host was cut off "
        "from\n"
        "it, the journals there keep the rest; `dasgd run --on` fetches them when the run has ended, this command at "
        "any\n"
        "time later. A record is stored once, however often this is done. With DASGD_SECRET, any that both ends know.");
    return [options] {
        if (!options->cluster.empty()) return collectOnCluster(*options);
        if (options->runId.empty() || options->ranks.empty()) {
            return refuse({"RUN and --rank say what is to be collected, or --on NAME where from"});
        }
        std::ranges::sort(options->ranks);
        const auto twice = std::ranges::unique(options->ranks);
        options->ranks.erase(twice.begin(), twice.end());
        StopSignals signals;
        const auto collected = collectHere(*options, signals);
        return collected ? *collected : refuse(collected.error());
    };
}

const CommandRegistry::Add kCollectEntry{{.order = 32,
                                          .name = "collect",
                                          .summary = "Take in what other hosts recorded of a run that has ended here",
                                          .declare = declareCollect}};

}  // namespace

}  // namespace dasgd::experiments
