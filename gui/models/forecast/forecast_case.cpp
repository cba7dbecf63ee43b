#include "gui/models/forecast/forecast_case.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

constexpr double kMebibyte = 1048576;

// What tells one kind of round from another: symbol and value.
using Parts = std::vector<std::pair<QString, QString>>;

Parts partsOf(const Settings& settings) {
    const auto part = [&](const char* symbol, const char* key) {
        return std::pair(QString::fromUtf8(symbol), QString::fromStdString(settingOf(settings, key)));
    };
    return {part("", "algorithm.name"),
            part("τ", "algorithm.period"),
            part("d", "algorithm.delay"),
            part("P", "cluster.workers"),
            part("model", "model.name"),
            part("batch", "train.batch_size"),
            part("link", "cluster.link.bandwidth"),
            part("latency", "cluster.link.latency"),
            part("link", "network.bandwidth"),
            part("T_c", "compute.step_time")};
}

// The parts that more than one of them has a value of; the algorithm where there are none.
QString labelOf(const Parts& parts, const std::vector<Parts>& all) {
    QStringList words;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool varies = std::ranges::any_of(all, [&](const Parts& one) { return one[i] != parts[i]; });
        const auto& [symbol, value] = parts[i];
        if (!varies || value.isEmpty()) continue;
        words << (symbol.isEmpty() ? value : QStringLiteral("%1 = %2").arg(symbol, value));
    }
    return words.isEmpty() ? parts.front().second : words.join(QStringLiteral(", "));
}

// Gradients in several buckets leave while the backward pass goes on, at times that no plan says.
bool sendsAtOnce(const Settings& settings, double bytes) {
    const double first = numberIn(settings, "algorithm.first_bucket_mb").value_or(0) * kMebibyte;
    return settingOf(settings, "algorithm.name") != "sync_sgd" || bytes <= first;
}

Result<void> forecastInto(ForecastCase& made, const Settings& settings, const PlannedRun& run,
                          const ForecastSources& sources) {
    RoundInput input{.algorithm = QString::fromStdString(settingOf(settings, "algorithm.name")),
                     .period = static_cast<int>(numberIn(settings, "algorithm.period").value_or(1)),
                     .delay = static_cast<int>(numberIn(settings, "algorithm.delay").value_or(0)),
                     .compute = 1};
    DASGD_TRY(forecastRound(input));  // whether there is a formula at all
    DASGD_ASSIGN(made.step, stepTimeOf(settings, sources));
    if (input.algorithm != QStringLiteral("independent")) {
        DASGD_ASSIGN(made.average, averageTimeOf(settings, run.parameters, sources));
        if (!sendsAtOnce(settings, made.average.bytes)) {
            return fail(
                "There is no formula for sync_sgd with more than one bucket, as these weights need: advise simulates "
                "it.");
        }
    }
    input.compute = made.step.seconds;
    input.forwardShare = made.step.forwardShare;
    input.contention = made.step.contention;
    input.communication = made.average.seconds;
    DASGD_ASSIGN(made.round, forecastRound(input));
    if (made.round.blocked <= 0 || !hasDelay(input.algorithm)) return {};
    RoundInput better = made.round.input;
    better.delay = hidingDelay(better);
    better.period = std::max(better.period, better.delay);
    if (auto remedy = forecastRound(better)) made.remedy = std::move(*remedy);
    return {};
}

}  // namespace

QString secondsInWords(double seconds) { return durationInWords(static_cast<Ns>(std::llround(seconds * 1e9))).text(); }

QString ForecastCase::warning() const {
    if (!known() || round.blocked <= 0) return {};
    const QString waited = secondsInWords(round.blocked);
    if (!remedy) {
        return QStringLiteral("%1 per %2 will not hide: %3 waits for each average.")
            .arg(waited, round.steps == 1 ? QStringLiteral("step") : QStringLiteral("round"), round.input.algorithm);
    }
    const int enough = remedy->input.delay;
    const QString longer = remedy->steps > round.steps ? QStringLiteral(", with τ ≥ %1").arg(remedy->steps) : QString();
    return QStringLiteral("%1 per round will not hide; d ≥ %2 would%3.").arg(waited).arg(enough).arg(longer);
}

QString ForecastCase::reason() const {
    if (!known() || round.input.communication <= 0) return {};
    const QString average = secondsInWords(round.input.communication);
    const int delay = round.input.delay;
    if (delay == 0) return QStringLiteral("The average takes %1, and nothing is computed meanwhile.").arg(average);
    const double covering = delay * round.input.compute * (1 + round.input.contention);
    return QStringLiteral("%1 %2 %3, the average %4.")
        .arg(delay)
        .arg(delay == 1 ? QStringLiteral("step takes") : QStringLiteral("steps take"), secondsInWords(covering),
             average);
}

QString ForecastCase::inWords() const {
    if (!known()) return why;
    const auto hidden = round.hidden();
    QStringList words{QStringLiteral("Forecast by formula of %1.").arg(label)};
    words << QStringLiteral("A step takes %1, %2 of it waiting, %3 times that of a step alone.")
                 .arg(secondsInWords(round.stepSeconds()), secondsInWords(round.blockedPerStep()),
                      shortNumber(round.slowdown(), 3));
    words << (hidden ? QStringLiteral("%1 % of each average is hidden.").arg(percent(hidden))
                     : QStringLiteral("Nothing is averaged."));
    if (!warning().isEmpty()) words << warning();
    if (!reason().isEmpty()) words << reason();
    words << QStringLiteral("T_c %1 from %2.").arg(secondsInWords(round.input.compute), step.from);
    if (round.input.communication > 0) {
        words << QStringLiteral("T_m %1: %2.").arg(secondsInWords(round.input.communication), average.from);
    }
    return words.join(u' ');
}

std::vector<ForecastCase> forecastCases(const std::vector<PlannedRun>& planned, const ForecastSources& sources) {
    std::vector<ForecastCase> cases;
    std::vector<Parts> parts;
    for (std::size_t i = 0; i < std::min(planned.size(), ForecastCase::kMostPlanned); ++i) {
        const Settings settings = settingsOf(planned[i].config);
        const Parts own = partsOf(settings);
        if (std::ranges::find(parts, own) != parts.end()) continue;
        if (cases.size() == ForecastCase::kMostCases) break;
        ForecastCase made;
        if (const auto done = forecastInto(made, settings, planned[i], sources); !done) {
            made.why = QString::fromStdString(done.error().message);
        }
        parts.push_back(own);
        cases.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].label = labelOf(parts[i], parts);
    return cases;
}

std::size_t mostExposed(const std::vector<ForecastCase>& cases) {
    const auto waits = [](const ForecastCase& one) {
        // What a delay can mend goes first: that an algorithm waits by its nature is no surprise.
        return std::tuple(one.remedy.has_value(), one.known(), one.known() ? one.round.blockedPerStep() : 0);
    };
    const auto found = std::ranges::max_element(cases, {}, waits);
    return found == cases.end() ? 0 : static_cast<std::size_t>(found - cases.begin());
}

}  // namespace dasgd::gui
