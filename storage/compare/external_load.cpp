#include "storage/compare/external_load.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "core/analysis/runs/setup.h"
#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

// Number of cores that the run might use on the first host; the other hosts are assumed to be equal. nullopt for "8 of
// 16 cores to use" too: the recorded load covers all cores of a host, and load on the other ones takes nothing from the
// run.
std::optional<int> coresOf(const RunMachine& machine) {
    int cores = 0;
    const std::string& text = machine.cores;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), cores);
    return machine.allCores && read.ec == std::errc() && cores > 0 ? std::optional(cores) : std::nullopt;
}

}  // namespace

Result<std::vector<ExternalLoad>> readExternalLoad(WorkspaceReader& reader, const RunRow& row) {
    std::vector<ExternalLoad> loads;
    if (row.timeSimulated) return loads;
    DASGD_ASSIGN(const std::vector<MetricSum> ofHosts, reader.metrics().sums(row.runId, metrics::kHostCpu));
    if (ofHosts.empty()) return loads;
    DASGD_ASSIGN(const std::vector<MetricSum> ofRanks, reader.metrics().sums(row.runId, metrics::kProcessCpu));
    DASGD_ASSIGN(const RunProvenance ran, reader.runs().provenance(row.runId));
    const std::optional<int> cores = coresOf(machineOf(ran.host, ran.cpu, ran.hosts));
    // One host needs no name, and has every rank: among them −1, of ranks that are threads of one process.
    const auto host = [&](int rank) {
        const auto found = ofHosts.size() > 1 ? ran.hostOf.find(rank) : ran.hostOf.end();
        return found == ran.hostOf.end() ? std::string() : found->second;
    };
    for (const MetricSum& busy : ofHosts) {
        if (busy.n < kLeastSeconds) continue;
        // Over the host's seconds, whatever part of them a rank was there for.
        double own = 0;
        bool known = false;
        for (const MetricSum& rank : ofRanks) {
            if (host(rank.rank) != host(busy.rank)) continue;
            own += rank.sum / static_cast<double>(busy.n);
            known = true;
        }
        if (!known) continue;
        loads.push_back({.host = host(busy.rank),
                         .ranks = own,
                         .others = std::max(0.0, busy.sum / static_cast<double>(busy.n) - own),
                         .seconds = static_cast<std::size_t>(busy.n),
                         .cores = cores});
    }
    return loads;
}

std::string externalLoadText(const ExternalLoad& load) {
    char text[96];
    std::snprintf(text, sizeof text, "%.2f cores by other programs, beside the ranks' %.2f", load.others, load.ranks);
    return load.host.empty() ? text : load.host + ": " + text;
}

}  // namespace dasgd::storage
