#include "experiments/run/queue/expectation.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <limits>

#include "core/analysis/runs/configuration.h"
#include "storage/compare/scaling.h"

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

// Seconds since 1970 of "2026-11-25T11:35:25.123Z".
std::optional<double> instantOf(const std::string& iso) {
    std::tm parts{};
    double seconds = 0;
    if (std::sscanf(iso.c_str(), "%d-%d-%dT%d:%d:%lfZ", &parts.tm_year, &parts.tm_mon, &parts.tm_mday, &parts.tm_hour,
                    &parts.tm_min, &seconds) != 6) {
        return std::nullopt;
    }
    parts.tm_year -= 1900;
    parts.tm_mon -= 1;
    return static_cast<double>(::timegm(&parts)) + seconds;
}

// How long this machine took for a step of it, evaluations and start-up included. A simulated step's own time says
// nothing of that.
std::optional<double> stepSeconds(const storage::RunRow& row) {
    const std::int64_t own = row.steps - row.resumedStep;
    if (!row.timeSimulated) {
        if (row.steps <= 0 || row.wallS <= 0) return std::nullopt;
        return row.wallS / static_cast<double>(row.steps);
    }
    const auto started = instantOf(row.startedAt), ended = instantOf(row.endedAt);
    if (!started || !ended || own <= 0 || *ended <= *started) return std::nullopt;
    return (*ended - *started) / static_cast<double>(own);
}

class EarlierSteps {
public:
    explicit EarlierSteps(const std::vector<storage::RunRow>& rows) {
        for (const storage::RunRow& row : rows) {
            const auto seconds = row.status == "finished" ? stepSeconds(row) : std::nullopt;
            // Those of other workspaces say nothing of this machine.
            if (!seconds || !row.origin.empty()) continue;
            ofConfiguration_[keyOf(row)].add(*seconds);
            if (!row.series.empty()) ofSeries_[row.series].add(*seconds);
        }
    }
    [[nodiscard]] std::optional<double> secondsOf(const storage::RunRow& row) {
        if (row.status == "running") {
            if (const auto own = stepSeconds(row)) return own;
        }
        if (const auto same = ofConfiguration_[keyOf(row)].value()) return same;
        return row.series.empty() ? std::nullopt : ofSeries_[row.series].value();
    }

private:
    // The settings that determine the time of a step; the number of steps does not.
    static std::string keyOf(const storage::RunRow& row) {
        Settings settings = storage::settingsOf(row);
        for (const char* length : {"train.steps", "train.epochs"}) settings.erase(length);
        return configurationKey(settings);
    }
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
    freeAt.resize(std::max(freeAt.size(), static_cast<std::size_t>(queue.atOnce)), 0);
    for (const storage::QueueEntry& entry : queue.entries) {
        if (entry.status == "running" || entry.held || queue.paused) continue;
        auto first = std::ranges::min_element(freeAt);
        *first = place(entry, *first);
    }
    return all;
}

}  // namespace dasgd::experiments
