#include "storage/read/queue_waits.h"

#include <algorithm>
#include <vector>

#include "storage/queue/queue.h"
#include "storage/read/read_connection.h"
#include "storage/runs/run_end.h"

namespace dasgd::storage {

namespace {

constexpr std::size_t kMostNamed = 3;

std::string counted(std::ptrdiff_t n, const std::string& what) {
    return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

}  // namespace

std::map<std::string, double> queuePlaces(ReadConnection& connection) {
    const auto query = connection.statements.take("SELECT run_id FROM queue_list WHERE status = 'queued'");
    std::map<std::string, double> places;
    while (query->executeStep()) {
        const auto place = static_cast<double>(places.size());
        places.emplace(query->getColumn(0).getString(), place);
    }
    return places;
}

std::string waitsInQueue(ReadConnection& connection, const std::string& runId) {
    const Queue queue = readQueue(connection.database);
    const auto own = std::ranges::find(queue.entries, runId, &QueueEntry::runId);
    if (own == queue.entries.end()) return {};
    if (own->held) return "its release: it is held";
    if (queue.paused) return "the queue, which is paused";
    if (queueWorker(WorkspacePaths{connection.root}).empty()) return "a process that works the queue";
    const auto before = std::count_if(queue.entries.begin(), own, [](const QueueEntry& entry) {
        return entry.status == "queued" && !entry.held && !entry.cancelled;
    });
    if (before > 0) return counted(before, "run") + " whose turn" + (before == 1 ? " is" : "s are") + " before it";
    const auto query = connection.statements.take(
        "SELECT run_id FROM run_list WHERE status = 'running' AND origin IS NULL ORDER BY started_at, run_id");
    std::vector<std::string> running;
    while (query->executeStep()) {
        const std::string run = query->getColumn(0).getString();
        if (!mayBeLost(WorkspacePaths{connection.root}, run)) running.push_back(run);
    }
    if (running.empty()) return {};
    std::string names;
    for (std::size_t i = 0; i < std::min(running.size(), kMostNamed); ++i) names += (i > 0 ? ", " : "") + running[i];
    const auto more = std::ssize(running) - static_cast<std::ptrdiff_t>(kMostNamed);
    if (more > 0) names += " and " + counted(more, "other");
    return counted(own->cores, "core") + (own->gpus > 0 ? " and " + counted(own->gpus, "GPU") : "") + ", while " +
           names + (running.size() == 1 ? " trains" : " train");
}

std::string waitsInSeries(ReadConnection& connection, const RunRow& row) {
    if (row.series.empty()) return {};
    if (row.held) return "its release: it is held";
    const auto query = connection.statements.take(
        "SELECT run_id FROM run_list WHERE series = ? AND run_id != ? AND (status = 'running' OR (status = 'queued' "
        "AND NOT held AND ifnull(queue_turn, series_place) < ?)) "
        "ORDER BY status = 'running', ifnull(queue_turn, series_place) DESC LIMIT 1");
    query->bind(1, row.series);
    query->bind(2, row.runId);
    query->bind(3, row.queueTurn.value_or(static_cast<double>(row.seriesPlace)));
    return query->executeStep() ? "its turn in its own series, after " + query->getColumn(0).getString()
                                : std::string();
}

}  // namespace dasgd::storage
