#include "experiments/run/session/queue_turn.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dasgd::experiments {

namespace {

struct QueuedCommand {
    bool begun = false;
    std::string queuedAt;           // earliest time at which a waiting run of it was queued
    std::vector<std::string> live;  // ids of its runs that train or wait
};

// Those of another workspace train and wait there.
bool trains(const storage::RunRow& row) { return row.status == "running" && row.origin.empty(); }
bool mayStart(const storage::RunRow& row) { return row.status == "queued" && !row.held && row.origin.empty(); }

// By their series, or by the run where it is of its own.
std::map<std::string, QueuedCommand> commandsIn(const std::vector<storage::RunRow>& rows) {
    std::map<std::string, QueuedCommand> commands;
    for (const storage::RunRow& row : rows) {
        QueuedCommand& command = commands[row.series.empty() ? row.runId : row.series];
        command.begun = command.begun || trains(row) || row.steps > 0;
        if (trains(row) || mayStart(row)) command.live.push_back(row.runId);
        const bool first = command.queuedAt.empty() || row.startedAt < command.queuedAt;
        if (row.status == "queued" && first) command.queuedAt = row.startedAt;
    }
    return commands;
}

}  // namespace

std::vector<std::string> runsAhead(const std::vector<storage::RunRow>& rows, const std::string& series) {
    std::map<std::string, QueuedCommand> commands = commandsIn(rows);
    const std::string ownTime = commands[series].queuedAt;
    std::vector<std::string> ahead;
    for (const auto& [name, command] : commands) {
        const bool earlier = std::tie(command.queuedAt, name) < std::tie(ownTime, series);
        if (name == series || (!command.begun && !earlier)) continue;
        ahead.insert(ahead.end(), command.live.begin(), command.live.end());
    }
    return ahead;
}

Result<bool> QueueTurn::isLive(const std::string& run) {
    DASGD_ASSIGN(const storage::RunRow row, reader_.row(run));
    if (!trains(row) && !mayStart(row)) return false;
    if (row.inQueue && mayStart(row)) {
        // It starts once somebody works the queue.
        DASGD_ASSIGN(const storage::Queue queue, reader_.queue());
        DASGD_ASSIGN(const std::string worker, reader_.queueWorker());
        return !queue.paused && !worker.empty();
    }
    DASGD_ASSIGN(const auto lost, reader_.lost(run));
    return !lost;
}

Result<std::string> QueueTurn::runAhead() {
    if (!ahead_.empty() && isLive(ahead_).value_or(false)) return ahead_;
    ahead_.clear();
    DASGD_ASSIGN(const auto rows, reader_.list());
    for (const std::string& run : runsAhead(rows, series_)) {
        DASGD_ASSIGN(const bool live, isLive(run));
        if (!live) continue;
        ahead_ = run;
        break;
    }
    return ahead_;
}

}  // namespace dasgd::experiments
