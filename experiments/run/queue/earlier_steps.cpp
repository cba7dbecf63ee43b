#include "experiments/run/queue/earlier_steps.h"

#include <cstdio>
#include <ctime>

#include "storage/compare/scaling.h"

namespace dasgd::experiments {

namespace {

// A simulated step's own time says nothing of how long this machine took for it.
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

}  // namespace

std::string stepKey(Settings settings) {
    for (const char* length : {"train.steps", "train.epochs"}) settings.erase(length);
    return configurationKey(settings);
}

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

EarlierSteps::EarlierSteps(const std::vector<storage::RunRow>& rows) {
    SettingsReader reader;
    for (const storage::RunRow& row : rows) {
        const auto seconds = row.status == "finished" ? stepSeconds(row) : std::nullopt;
        // Those of other workspaces say nothing of this machine.
        if (!seconds || !row.origin.empty()) continue;
        const auto add = [&](Mean& mean) {
            mean.sum += *seconds;
            ++mean.count;
            if (!mean.newest || mean.newest->startedAt < row.startedAt) mean.newest = &row;
        };
        add(ofConfiguration_[stepKey(storage::settingsOf(row, reader))]);
        if (!row.series.empty()) add(ofSeries_[row.series]);
    }
}

EarlierSteps::Mean EarlierSteps::ofSettings(const Settings& settings) const {
    const auto found = ofConfiguration_.find(stepKey(settings));
    return found == ofConfiguration_.end() ? Mean() : found->second;
}

std::optional<double> EarlierSteps::secondsOf(const storage::RunRow& row) const {
    if (row.status == "running") {
        if (const auto own = stepSeconds(row)) return own;
    }
    if (const auto same = ofSettings(storage::settingsOf(row)).value()) return same;
    const auto series = ofSeries_.find(row.series);
    return series == ofSeries_.end() ? std::nullopt : series->second.value();
}

}  // namespace dasgd::experiments
