#include "gui/models/experiment/hiding.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "core/base/units.h"
#include "core/cost/cost.h"
#include "core/cost/step_time.h"
#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

// Reading more configurations than these would be felt, and the newest are those that count.
constexpr std::size_t kMostRead = 64, kMostPlanned = 50;

std::string settingOf(const Settings& settings, const std::string& key) {
    const auto found = settings.find(key);
    return found == settings.end() ? std::string() : found->second;
}

std::optional<double> numberIn(const Settings& settings, const std::string& key) {
    const std::string text = settingOf(settings, key);
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') return std::nullopt;
    return number;
}

// What the time of a local step depends on.
Settings stepOf(const Settings& settings) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()), [](const auto& one) {
        const std::string& key = one.first;
        return key.starts_with("model.") || key == "train.batch_size" || key == "train.precision" ||
               key == "cluster.threads_per_worker" || key == "cluster.backend";
    });
    return kept;
}

QString milliseconds(double seconds) { return durationInWords(static_cast<Ns>(std::llround(seconds * 1e9))).text(); }

}  // namespace

std::vector<TimedRun> timedRuns(std::span<const RunItemPtr> runs) {
    std::vector<RunItemPtr> timed;
    std::ranges::copy_if(runs, std::back_inserter(timed), [](const RunItemPtr& run) {
        return run->row.stepMs && !run->row.timeSimulated && run->row.status == "finished";
    });
    std::ranges::sort(timed, std::greater<>(), [](const RunItemPtr& run) { return run->row.startedAt; });
    if (timed.size() > kMostRead) timed.resize(kMostRead);
    std::vector<TimedRun> all;
    for (const RunItemPtr& run : timed) {
        const double seconds = (*run->row.stepMs - blockedMsPerStep(run->row).value_or(0)) / 1e3;
        if (seconds > 0) all.push_back({stepOf(settingsOf(run->row.config)), seconds, run->id});
    }
    return all;
}

const TimedRun* measuredStep(const Settings& planned, const std::vector<TimedRun>& timed) {
    const auto found = std::ranges::find(timed, stepOf(planned), &TimedRun::step);
    return found == timed.end() ? nullptr : &*found;
}

std::optional<double> averageSeconds(const Settings& planned, qint64 parameters) {
    const auto bandwidth = parseBandwidth(settingOf(planned, "cluster.link.bandwidth"));
    const auto latency = parseLatency(settingOf(planned, "cluster.link.latency"));
    const auto workers = numberIn(planned, "cluster.workers");
    // An optimiser's state that is averaged too has a size that the plan does not say.
    const bool sendsMore = settingOf(planned, "algorithm.optimizer_state") == "average";
    if (!bandwidth || !latency || !workers || parameters <= 0 || sendsMore) return std::nullopt;
    const double bytes = (settingOf(planned, "train.precision") == "float64" ? 8 : 4) * static_cast<double>(parameters);
    return ringAllReduceSeconds({.alpha = *latency, .beta = 1 / *bandwidth}, bytes, static_cast<int>(*workers));
}

std::optional<Hiding> forecastHiding(const std::vector<PlannedRun>& planned, std::span<const RunItemPtr> runs) {
    Hiding worst;
    std::optional<std::vector<TimedRun>> timed;
    for (std::size_t i = 0; i < std::min(planned.size(), kMostPlanned); ++i) {
        const Settings settings = settingsOf(planned[i].config);
        const auto delay = numberIn(settings, "algorithm.delay"), period = numberIn(settings, "algorithm.period");
        const auto communication = averageSeconds(settings, planned[i].parameters);
        if (!delay || !period || !communication) continue;
        if (!timed) timed = timedRuns(runs);
        const TimedRun* step = measuredStep(settings, *timed);
        if (!step) continue;
        const int d = static_cast<int>(*delay), tau = static_cast<int>(*period);
        const double exposed = (dasgdStepSeconds(step->stepSeconds, *communication, tau, d) - step->stepSeconds) * tau;
        const bool first = worst.counted++ == 0;
        worst.exposing += exposed > 0 ? 1 : 0;
        if (!first && exposed <= worst.exposed) continue;
        worst.compute = step->stepSeconds;
        worst.communication = *communication;
        worst.period = tau;
        worst.delay = d;
        worst.exposed = exposed;
        worst.enough = minimumDelay(*communication, step->stepSeconds);
        worst.run = step->run;
    }
    return worst.counted > 0 ? std::optional(worst) : std::nullopt;
}

QString Hiding::inWords() const {
    const QString times = QStringLiteral("An average takes %1 by formula; a step took %2 in run %3.")
                              .arg(milliseconds(communication), milliseconds(compute), run);
    if (exposing == 0) return QStringLiteral("Every average hides. ") + times;
    const QString where = counted > 1 ? QStringLiteral(", in %1 of %2 runs").arg(exposing).arg(counted) : QString();
    const QString longer = enough > period ? QStringLiteral(", with τ ≥ %1").arg(enough) : QString();
    return QStringLiteral("%1 of each average will not hide with d = %2%3; d ≥ %4 would%5. ")
               .arg(milliseconds(exposed))
               .arg(delay)
               .arg(where)
               .arg(enough)
               .arg(longer) +
           times;
}

}  // namespace dasgd::gui
