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
        steps.try_emplace(stepKey(run->config.unpacked()), MeasuredStep{*run->row.stepMs / 1e3, run->id});
    }
    return steps;
}

// Of a step of each planned run, where there is a forecast of it.
std::vector<std::optional<double>> forecastSteps(std::size_t planned, std::span<const ForecastCase> cases) {
    std::vector<std::optional<double>> steps(planned);
    for (const ForecastCase& one : cases) {
        if (!one.known() || one.step.given) continue;
        for (const std::size_t run : one.runs) {
            if (run < planned) steps[run] = one.round.stepSeconds();
        }
    }
    return steps;
}

}  // namespace

QString roughly(double seconds) {
    constexpr double kMinute = 60, kHour = 3600, kDay = 86400;
    if (seconds < 2 * kMinute) return QStringLiteral("%1 s").arg(shortNumber(seconds, 2));
    if (seconds < 2 * kHour) return QStringLiteral("%1 min").arg(shortNumber(seconds / kMinute, 2));
    if (seconds < 2 * kDay) return QStringLiteral("%1 h").arg(shortNumber(seconds / kHour, 2));
    return QStringLiteral("%1 days").arg(shortNumber(seconds / kDay, 2));
}

SweepTime sweepTime(const std::vector<PlannedRun>& planned, qint64 total, std::span<const RunItemPtr> runs,
                    std::span<const ForecastCase> cases) {
    SweepTime time{.total = total};
    const auto measured = measuredSteps(runs);
    const auto forecast = forecastSteps(planned.size(), cases);
    time.simulated = std::ranges::any_of(cases, [](const ForecastCase& one) { return one.known() && one.step.given; });
    if (measured.empty() && std::ranges::none_of(forecast, &std::optional<double>::has_value)) return time;
    for (std::size_t i = 0; i < std::min(planned.size(), SweepTime::kMostPlanned); ++i) {
        const PlannedRun& run = planned[i];
        time.each.emplace_back();
        if (run.steps <= 0) continue;
        const auto found = measured.empty() ? measured.end() : measured.find(stepKey(settingsOf(run.config)));
        if (found == measured.end() && !forecast[i]) continue;
        const double step = found != measured.end() ? found->second.seconds : *forecast[i];
        time.each.back() = static_cast<double>(run.steps) * step;
        time.seconds += *time.each.back();
        ++time.known;
        if (found == measured.end()) {
            ++time.forecast;
        } else if (!time.from.contains(found->second.run)) {
            time.from << found->second.run;
        }
    }
    time.looked = std::ssize(time.each);
    return time;
}

QString SweepTime::inWords() const {
    if (known == 0) return QStringLiteral("not known");
    if (known == total) return QStringLiteral("about %1").arg(roughly(seconds));
    return QStringLiteral("%1 for %2 of %3 runs").arg(roughly(seconds), grouped(known), grouped(total));
}

QString SweepTime::basis() const {
    if (known == 0 && simulated)
        return QStringLiteral("the cluster's times are simulated: how long it takes to simulate them is not recorded");
    if (known == 0) return QStringLiteral("no finished run here has these settings, and no forecast says a step");
    constexpr qsizetype kNamed = 1;
    QStringList steps;
    if (!from.isEmpty()) {
        steps << from.mid(0, kNamed).join(QStringLiteral(", "));
        if (from.size() > kNamed) steps.back() += QStringLiteral(" and %1 more").arg(from.size() - kNamed);
    }
    if (forecast > 0) {
        steps << (forecast == known ? QStringLiteral("the forecast")
                  : forecast == 1   ? QStringLiteral("the forecast for 1 run")
                                    : QStringLiteral("the forecast for %1 runs").arg(grouped(forecast)));
    }
    QString words = QStringLiteral("planned steps × time of a step in %1; starting and evaluating not counted")
                        .arg(steps.join(QStringLiteral(", by ")));
    if (looked < total) {
        words += QStringLiteral("; looked at the first %1 runs").arg(grouped(looked));
    } else if (known < total) {
        words += QStringLiteral("; the others have neither a measurement nor a forecast");
    }
    return words;
}

}  // namespace dasgd::gui
