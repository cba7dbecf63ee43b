#include "storage/other_load.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <regex>

#include "core/base/metric_names.h"

namespace dasgd::storage {

namespace {

// Of "lab (Intel(R) Xeon(R) Processor, 16 cores to use, 135.1 GB memory)", which is how the launcher describes the
// first host; the others are taken to be like it. nullopt of "8 of 16 cores to use" too: what is recorded of a host is
// of all its cores, and who else is on the other ones takes none of ours.
std::optional<int> coresIn(const std::string& machine) {
    static const std::regex kCores(R"(, (\d+) cores to use)");
    std::smatch found;
    if (!std::regex_search(machine, found, kCores)) return std::nullopt;
    int cores = 0;
    const std::string text = found[1];
    const auto read = std::from_chars(text.data(), text.data() + text.size(), cores);
    return read.ec == std::errc() && cores > 0 ? std::optional(cores) : std::nullopt;
}

}  // namespace

Result<std::vector<OtherLoad>> readOtherLoad(RunReader& reader, const RunRow& row) {
    std::vector<OtherLoad> loads;
    if (row.timeSimulated) return loads;
    DASGD_ASSIGN(const std::vector<MetricSum> ofHosts, reader.metricSums(row.runId, metrics::kHostCpu));
    if (ofHosts.empty()) return loads;
    DASGD_ASSIGN(const std::vector<MetricSum> ofRanks, reader.metricSums(row.runId, metrics::kProcessCpu));
    // One host needs no name, and has every rank: among them −1, of ranks that are threads of one process.
    std::map<int, std::string> hostOf;
    if (ofHosts.size() > 1) {
        DASGD_ASSIGN(const std::vector<RankLastSeen> seen, reader.lastSeen(row.runId));
        for (const RankLastSeen& rank : seen) hostOf[rank.rank] = rank.host;
    }
    const auto host = [&](int rank) { return hostOf.contains(rank) ? hostOf[rank] : std::string(); };
    DASGD_ASSIGN(const std::string machine, reader.machine(row.runId));
    const std::optional<int> cores = coresIn(machine);
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

std::string otherLoadText(const OtherLoad& load) {
    char text[96];
    std::snprintf(text, sizeof text, "%.2f cores by other programs, beside the ranks' %.2f", load.others, load.ranks);
    return load.host.empty() ? text : load.host + ": " + text;
}

}  // namespace dasgd::storage
