#include "gui/models/sweep/sweep_time.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "core/analysis/configuration.h"
#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

struct MeasuredStep {
    double seconds = 0;
    QString run;
};

// What makes a step as long as it is: not how many of them there are.
std::string stepKey(Settings settings) {
    for (const char* length : {"train.steps", "train.epochs"}) settings.erase(length);
    return configurationKey(settings);
}

Settings settingsOfRun(const RunItem& run) {
    Settings settings;
    if (!run.config.keys()) return settings;
    for (std::size_t i = 0; i < run.config.keys()->size(); ++i) settings[(*run.config.keys())[i]] = run.config.at(i);
    return settings;
}

// By their settings; of equal ones the newest.
std::map<std::string, MeasuredStep> measuredSteps(std::span<const RunItemPtr> runs) {
    std::vector<RunItemPtr> timed;
    std::ranges::copy_if(runs, std::back_inserter(timed), [](const RunItemPtr& run) {
        return run->row.stepMs && !run->row.timeSimulated && run->row.status == "finished";
    });
    std::ranges::sort(timed, std::greater<>(), [](const RunItemPtr& run) { return run->row.startedAt; });
    if (timed.size() > SweepTime::kMostMeasured) timed.resize(SweepTime::kMostMeasured);
    std::map<std::string, MeasuredStep> steps;
    for (const RunItemPtr& run : timed) {
        steps.try_emplace(stepKey(settingsOfRun(*run)), MeasuredStep{*run->row.stepMs / 1e3, run->id});
    }
    return steps;
}

QString duration(double seconds) {
    constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
    if (seconds < 2 * kMinute) return QStringLiteral("%1 s").arg(shortNumber(seconds, 2));
    if (seconds < 2 * kHour) return QStringLiteral("%1 min").arg(shortNumber(seconds / kMinute, 2));
    if (seconds < 2 * kDay) return QStringLiteral("%1 h").arg(shortNumber(seconds / kHour, 2));
    return QStringLiteral("%1 days").arg(shortNumber(seconds / kDay, 2));
}

}  // namespace

SweepTime sweepTime(const std::vector<PlannedRun>& planned, qint64 total, std::span<const RunItemPtr> runs) {
    SweepTime time{.total = total};
    const auto steps = measuredSteps(runs);
    for (const PlannedRun& run : planned) {
        if (steps.empty() || time.looked == static_cast<qint64>(SweepTime::kMostPlanned)) break;
        ++time.looked;
        const auto found = steps.find(stepKey(settingsOf(run.config)));
        if (found == steps.end() || run.steps <= 0) continue;
        ++time.known;
        time.seconds += static_cast<double>(run.steps) * found->second.seconds;
        if (!time.from.contains(found->second.run)) time.from << found->second.run;
    }
    return time;
}

QString SweepTime::inWords() const {
    if (known == 0) return QStringLiteral("not known");
    if (known == total) return QStringLiteral("about %1").arg(duration(seconds));
    return QStringLiteral("%1 for %2 of %3 runs").arg(duration(seconds), grouped(known), grouped(total));
}

QString SweepTime::basis() const {
    if (known == 0) return QStringLiteral("no finished run here has these settings and measured times");
    constexpr qsizetype kNamed = 1;
    QString runs = from.mid(0, kNamed).join(QStringLiteral(", "));
    if (from.size() > kNamed) runs += QStringLiteral(" and %1 more").arg(from.size() - kNamed);
    QString words =
        QStringLiteral("planned steps × time of a step in %1; starting and evaluating not counted").arg(runs);
    if (looked < total) {
        words += QStringLiteral("; looked at the first %1 runs").arg(grouped(looked));
    } else if (known < total) {
        words += QStringLiteral("; the others' settings were not measured");
    }
    return words;
}

}  // namespace dasgd::gui
