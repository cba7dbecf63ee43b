#include "gui/experiment/model/sweep/sweep_time.h"

#include <QDateTime>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>

#include "core/analysis/runs/configuration.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

struct MeasuredStep {
    double seconds = 0;
    bool whole = false;  // includes start and evaluations
    QString run;
};

// Key of the settings that a step's duration depends on: all but the length of training.
std::string stepKey(Settings settings) {
    for (const char* length : {"train.steps", "train.epochs"}) settings.erase(length);
    return configurationKey(settings);
}

// Time that this computer took for a step. For simulated time it is the run's duration by the clock, divided by its
// steps.
std::optional<double> stepSeconds(const storage::RunRow& run) {
    if (!run.timeSimulated) return run.stepMs ? std::optional(*run.stepMs / 1e3) : std::nullopt;
    const auto instant = [](const std::string& iso) {
        return QDateTime::fromString(QString::fromStdString(iso), Qt::ISODateWithMs);
    };
    const QDateTime started = instant(run.startedAt), ended = instant(run.endedAt);
    const std::int64_t steps = run.steps - run.resumedStep;
    if (!started.isValid() || !ended.isValid() || steps <= 0 || ended <= started) return std::nullopt;
    return static_cast<double>(started.msecsTo(ended)) / 1e3 / static_cast<double>(steps);
}

// The measured steps by their settings; the newest run counts.
std::map<std::string, MeasuredStep> measuredSteps(std::span<const RunItemPtr> runs) {
    std::vector<std::pair<RunItemPtr, double>> timed;
    for (const RunItemPtr& run : runs) {
        if (run->row.status != "finished" || !run->row.origin.empty()) continue;
        if (const auto seconds = stepSeconds(run->row)) timed.emplace_back(run, *seconds);
    }
    std::ranges::sort(timed, std::greater<>(), [](const auto& one) { return one.first->row.startedAt; });
    if (timed.size() > SweepTime::kMostMeasured) timed.resize(SweepTime::kMostMeasured);
    std::map<std::string, MeasuredStep> steps;
    for (const auto& [run, seconds] : timed) {
        steps.try_emplace(stepKey(run->config.unpacked()), MeasuredStep{seconds, run->row.timeSimulated, run->id});
    }
    return steps;
}

// Forecast step time of each planned run; nullopt without a forecast.
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
        if (found != measured.end() && found->second.whole) ++time.whole;
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
        return QStringLiteral(
            "the cluster's times are simulated, and no finished run here says how long simulating these takes");
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
    QString words = QStringLiteral("planned steps × time of a step in %1").arg(steps.join(QStringLiteral(", by ")));
    if (whole == known) {
        words += QStringLiteral("; with what those took to start and to evaluate");
    } else {
        words += whole == 0 ? QStringLiteral("; starting and evaluating not counted")
                            : QStringLiteral("; starting and evaluating counted in simulated runs alone");
    }
    if (looked < total) {
        words += QStringLiteral("; looked at the first %1 runs").arg(grouped(looked));
    } else if (known < total) {
        words += QStringLiteral("; the others have neither a measurement nor a forecast");
    }
    return words;
}

}  // namespace dasgd::gui
