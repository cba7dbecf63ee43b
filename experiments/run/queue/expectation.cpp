#include "experiments/run/queue/expectation.h"

#include <algorithm>
#include <limits>

#include "experiments/run/queue/earlier_steps.h"

namespace dasgd::experiments {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

}  // namespace

std::map<std::string, Expectation> expectationsOf(const storage::Queue& queue,
                                                  const std::vector<storage::RunRow>& rows) {
    std::map<std::string, Expectation> all;
    if (queue.entries.empty()) return all;
    const EarlierSteps earlier(rows);
    std::map<std::string, const storage::RunRow*> byRun;
    for (const storage::RunRow& row : rows) byRun[row.runId] = &row;
    for (const storage::QueueEntry& entry : queue.entries) {
        const auto row = byRun.find(entry.runId);
        if (row == byRun.end()) continue;
        const std::int64_t done = std::max(row->second->steps, row->second->resumedStep);
        const auto step = earlier.secondsOf(*row->second);
        if (!step) continue;
        all[entry.runId].left =
            *step * static_cast<double>(std::max<std::int64_t>(0, row->second->plannedSteps - done));
    }
    std::vector<double> freeAt;
    const auto place = [&](const storage::QueueEntry& entry, double start) {
        const double end = start + all[entry.runId].left.value_or(kUnknown);
        if (end < kUnknown) all[entry.runId].endsIn = end;
        return end;
    };
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.status == "running") freeAt.push_back(place(entry, 0));
    }
    freeAt.resize(std::max(freeAt.size(), static_cast<std::size_t>(queue.atOnce)), 0);
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.status == "running" || entry.held || queue.paused) continue;
        auto first = std::ranges::min_element(freeAt);
        *first = place(entry, *first);
    }
    return all;
}

}  // namespace dasgd::experiments
