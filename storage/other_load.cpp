#include "storage/other_load.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

struct Mean {
    double sum = 0;
    std::size_t n = 0;
    void add(double value) {
        sum += value;
        ++n;
    }
    [[nodiscard]] double value() const { return n > 0 ? sum / static_cast<double>(n) : 0; }
};

// Of "lab (Intel(R) Xeon(R) Processor, 16 cores to use, 135.1 GB memory)", which is how the launcher describes the
// first host; the others are taken to be like it.
std::optional<int> coresIn(const std::string& machine) {
    const auto end = machine.find(" cores to use");
    if (end == std::string::npos) return std::nullopt;
    const auto before = machine.find_last_of(' ', end - 1);
    const int cores = std::atoi(machine.c_str() + (before == std::string::npos ? 0 : before + 1));
    return cores > 0 ? std::optional(cores) : std::nullopt;
}

}  // namespace

Result<std::vector<OtherLoad>> readOtherLoad(RunReader& reader, const RunRow& row) {
    std::vector<OtherLoad> loads;
    if (row.timeSimulated) return loads;
    DASGD_ASSIGN(const MetricAnswer ofHosts, reader.metrics({.runId = row.runId, .name = metrics::kHostCpu}));
    if (ofHosts.samples.empty()) return loads;
    DASGD_ASSIGN(const MetricAnswer ofRanks, reader.metrics({.runId = row.runId, .name = metrics::kProcessCpu}));
    // One host needs no name, and has every rank: among them −1, of ranks that are threads of one process.
    std::map<int, std::string> hostOf;
    const int first = ofHosts.samples.front().rank;
    if (std::ranges::any_of(ofHosts.samples, [&](const MetricSample& sample) { return sample.rank != first; })) {
        DASGD_ASSIGN(const std::vector<RankLastSeen> seen, reader.lastSeen(row.runId));
        for (const RankLastSeen& rank : seen) hostOf[rank.rank] = rank.host;
    }
    const auto host = [&](int rank) { return hostOf.contains(rank) ? hostOf[rank] : std::string(); };
    DASGD_ASSIGN(const std::string machine, reader.machine(row.runId));
    const std::optional<int> cores = coresIn(machine);
    std::map<std::string, Mean> busy;
    std::vector<std::string> order;
    for (const MetricSample& sample : ofHosts.samples) {
        const std::string name = host(sample.rank);
        if (std::ranges::find(order, name) == order.end()) order.push_back(name);
        busy[name].add(sample.value);
    }
    std::map<int, Mean> own;
    for (const MetricSample& sample : ofRanks.samples) own[sample.rank].add(sample.value);
    std::map<std::string, double> ranks;
    for (const auto& [rank, mean] : own) ranks[host(rank)] += mean.value();
    for (const std::string& name : order) {
        if (busy[name].n < kLeastSeconds || !ranks.contains(name)) continue;
        const double others = std::max(0.0, busy[name].value() - ranks[name]);
        loads.push_back(
            {.host = name, .ranks = ranks[name], .others = others, .seconds = busy[name].n, .cores = cores});
    }
    return loads;
}

std::string otherLoadText(const OtherLoad& load) {
    char text[96];
    std::snprintf(text, sizeof text, "%.2f cores by other programs, beside the ranks' %.2f", load.others, load.ranks);
    return load.host.empty() ? text : load.host + ": " + text;
}

}  // namespace dasgd::storage
