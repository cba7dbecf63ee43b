#include "experiments/queue/expectation.h"

#include <algorithm>
#include <limits>

#include "core/analysis/configuration.h"
#include "storage/scaling.h"

namespace dasgd::experiments {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();

struct Mean {
    double sum = 0;
    int count = 0;
    void add(double value) {
        sum += value;
        ++count;
    }
    [[nodiscard]] std::optional<double> value() const { return count > 0 ? std::optional(sum / count) : std::nullopt; }
};

std::optional<double> stepSeconds(const storage::RunRow& row) {
    if (row.timeSimulated || row.steps <= 0 || row.wallS <= 0) return std::nullopt;
    return row.wallS / static_cast<double>(row.steps);
}

class EarlierSteps {
public:
    explicit EarlierSteps(const std::vector<storage::RunRow>& rows) {
        for (const storage::RunRow& row : rows) {
            const auto seconds = row.status == "finished" ? stepSeconds(row) : std::nullopt;
            if (!seconds) continue;
            ofConfiguration_[keyOf(row)].add(*seconds);
            if (!row.series.empty()) ofSeries_[row.series].add(*seconds);
        }
    }
    [[nodiscard]] std::optional<double> secondsOf(const storage::RunRow& row) {
        if (row.timeSimulated) return std::nullopt;
        if (row.status == "running") {
            if (const auto own = stepSeconds(row)) return own;
        }
        if (const auto same = ofConfiguration_[keyOf(row)].value()) return same;
        return row.series.empty() ? std::nullopt : ofSeries_[row.series].value();
    }

private:
    static std::string keyOf(const storage::RunRow& row) { return configurationKey(storage::settingsOf(row)); }
    std::map<std::string, Mean> ofConfiguration_, ofSeries_;
};

}  // namespace

std::map<std::string, Expectation> expectationsOf(const storage::Queue& queue,
                                                  const std::vector<storage::RunRow>& rows) {
    std::map<std::string, Expectation> all;
    if (queue.entries.empty()) return all;
    EarlierSteps earlier(rows);
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
    freeAt.resize(std::max(freeAt.size(), static_cast<std::size_t>(queue.slots)), 0);
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.status == "running" || entry.held || queue.paused) continue;
        auto first = std::ranges::min_element(freeAt);
        *first = place(entry, *first);
    }
    return all;
}

}  // namespace dasgd::experiments
