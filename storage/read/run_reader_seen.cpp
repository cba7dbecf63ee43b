// Where each rank of a run is, and what the record has last of it.
#include <array>
#include <map>
#include <set>

#include "core/base/event.h"
#include "storage/read/run_reader_impl.h"

namespace dasgd::storage {

namespace {

// Names of the states, by the numbers of storage/format.md.
constexpr std::array kStateNames{"starting", "running", "finished", "failed", "stopped"};

std::string stateName(const SQLite::Column& column) {
    if (column.isNull()) return "";
    const auto state = static_cast<std::size_t>(column.getInt64());
    return state < kStateNames.size() ? kStateNames[state] : "";
}

}  // namespace

std::map<int, std::string> RunReader::Impl::hostsOfRanks(std::int64_t run) {
    SQLite::Statement query(
        database, "SELECT rank, text FROM state_event WHERE run = ? AND state = ? AND text <> '' ORDER BY id");
    query.bind(1, run);
    query.bind(2, static_cast<int>(RankState::Starting));
    std::map<int, std::string> hosts;
    while (query.executeStep()) hosts[query.getColumn(0).getInt()] = query.getColumn(1).getString();
    return hosts;
}

Result<RunProvenance> RunReader::provenance(const std::string& runId) {
    return impl_->guard([&]() -> Result<RunProvenance> {
        const auto query =
            impl_->statements.take("SELECT host, cpu, git_dirty, workers, time_simulated FROM run WHERE id = ?");
        const std::int64_t run = impl_->keyOf(runId);
        query->bind(1, run);
        if (!query->executeStep()) return fail("there is no run '" + runId + "'");
        RunProvenance found{.host = query->getColumn(0).getString(),
                            .cpu = query->getColumn(1).getString(),
                            .gitDirty = query->getColumn(2).getInt() != 0};
        // Simulated workers are on no host, and there may be thousands.
        if (query->getColumn(4).getInt() != 0) return found;
        found.hostOf = impl_->hostsOfRanks(run);
        if (std::ssize(found.hostOf) != query->getColumn(3).getInt()) return found;
        std::set<std::string> hosts;
        for (const auto& [rank, host] : found.hostOf) hosts.insert(host);
        found.hosts = hosts.size();
        return found;
    });
}

Result<std::vector<RankLastSeen>> RunReader::lastSeen(const std::string& runId) {
    return impl_->guard([&]() -> Result<std::vector<RankLastSeen>> {
        const std::int64_t run = impl_->keyOf(runId);
        const std::map<int, std::string> hosts = impl_->hostsOfRanks(run);
        std::map<int, SpanRow> last;
        for (const SpanRow& span : impl_->newestSpans(run)) {
            const auto [known, added] = last.try_emplace(span.rank, span);
            if (!added && span.span.end > known->second.span.end) known->second = span;
        }
        SQLite::Statement query(impl_->database,
                                "SELECT rank, state, state_text, step, newest_ns FROM rank_state WHERE run = ? "
                                "ORDER BY rank");
        query.bind(1, run);
        std::vector<RankLastSeen> ranks;
        while (query.executeStep()) {
            RankLastSeen seen{.rank = query.getColumn(0).getInt(),
                              .state = stateName(query.getColumn(1)),
                              .text = query.getColumn(2).getString(),
                              .step = query.getColumn(3).getInt64(),
                              .newest = query.getColumn(4).getInt64()};
            if (const auto host = hosts.find(seen.rank); host != hosts.end()) seen.host = host->second;
            if (const auto span = last.find(seen.rank); span != last.end()) seen.last = span->second;
            // The text of the first state is the rank's host.
            if (seen.state == kStateNames.front()) seen.text.clear();
            ranks.push_back(std::move(seen));
        }
        return ranks;
    });
}

}  // namespace dasgd::storage
