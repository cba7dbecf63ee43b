#include "gui/models/forecast/forecast_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

constexpr double kMebibyte = 1048576;
constexpr double kMostNs = 9e18;

// Beside the settings: how many weights there are.
const std::string kWeights = "weights";

Settings kindOf(const Settings& settings, qint64 parameters) {
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()),
                         [](const auto& one) { return forecastReads(one.first); });
    kept[kWeights] = std::to_string(parameters);
    return kept;
}

// In the order in which they are read.
constexpr std::array kSymbols{
    std::pair{"algorithm.name", ""},        std::pair{"algorithm.period", "τ"},
    std::pair{"algorithm.delay", "d"},      std::pair{"cluster.workers", "P"},
    std::pair{"model.name", "model"},       std::pair{"train.batch_size", "batch"},
    std::pair{"network.name", "network"},   std::pair{"cluster.link.bandwidth", "link"},
    std::pair{"network.bandwidth", "link"}, std::pair{"compute.step_time", "T_c"},
};

// Symbols and values of the keys that more than one value is of; the algorithm where there are none.
QString labelOf(const Settings& own, const std::vector<Settings>& all) {
    QStringList words;
    const auto put = [&](const std::string& key, const QString& symbol) {
        const std::string value = settingOf(own, key);
        const bool varies = std::ranges::any_of(all, [&](const Settings& one) { return settingOf(one, key) != value; });
        if (!varies || value.empty()) return;
        const QString shown = QString::fromStdString(value);
        words << (symbol.isEmpty() ? shown : QStringLiteral("%1 = %2").arg(symbol, shown));
    };
    for (const auto& [key, symbol] : kSymbols) put(key, QString::fromUtf8(symbol));
    for (const auto& [key, value] : own) {
        const bool said = std::ranges::any_of(kSymbols, [&](const auto& one) { return key == one.first; });
        if (!said && key != kWeights) put(key, QString::fromStdString(key).section(u'.', -1));
    }
    // It follows from the model, or from the data alone.
    if (words.isEmpty()) put(kWeights, QStringLiteral("weights"));
    return words.isEmpty() ? QString::fromStdString(settingOf(own, "algorithm.name"))
                           : words.join(QStringLiteral(", "));
}

int countIn(const Settings& settings, const char* key, int otherwise) {
    const double count = numberIn(settings, key).value_or(otherwise);
    return count >= 0 ? static_cast<int>(std::min<double>(count, std::numeric_limits<int>::max())) : -1;
}

// Gradients in several buckets leave while the backward pass goes on, at times that no plan says.
bool sendsAtOnce(const Settings& settings, double bytes) {
    const double first = numberIn(settings, "algorithm.first_bucket_mb").value_or(0) * kMebibyte;
    return settingOf(settings, "algorithm.name") != "sync_sgd" || bytes <= first;
}

Result<void> forecastInto(ForecastCase& made, const Settings& settings, const PlannedRun& run,
                          const ForecastSources& sources) {
    RoundInput input{.algorithm = QString::fromStdString(settingOf(settings, "algorithm.name")),
                     .period = countIn(settings, "algorithm.period", 1),
                     .delay = countIn(settings, "algorithm.delay", 0),
                     .compute = 1};
    DASGD_TRY(forecastRound(input));  // whether there is a formula at all
    DASGD_ASSIGN(made.step, stepTimeOf(settings, sources));
    if (input.algorithm != QStringLiteral("independent")) {
        DASGD_ASSIGN(made.average, averageTimeOf(settings, run.parameters, sources));
        if (made.average.seconds > 0 && !sendsAtOnce(settings, made.average.bytes)) {
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
    if (better.delay > ForecastCase::kMostDelay) return {};
    better.period = std::max(better.period, better.delay);
    if (auto remedy = forecastRound(better)) made.remedy = std::move(*remedy);
    return {};
}

}  // namespace

QString secondsInWords(double seconds) {
    return durationInWords(static_cast<Ns>(std::llround(std::min(seconds * 1e9, kMostNs)))).text();
}

QString ForecastCase::warning() const {
    if (!known() || round.blocked <= 0) return {};
    const QString waited = secondsInWords(round.blocked);
    if (!remedy && hasDelay(round.input.algorithm)) {
        return QStringLiteral("%1 per round will not hide, not even with d = %2.").arg(waited, grouped(kMostDelay));
    }
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
    if (round.block > 1) words << QStringLiteral("The picture draws %1 steps as one.").arg(grouped(round.block));
    words << QStringLiteral("T_c %1 from %2.").arg(secondsInWords(round.input.compute), step.from);
    if (round.input.communication > 0) {
        words << QStringLiteral("T_m %1: %2.").arg(secondsInWords(round.input.communication), average.from);
    }
    return words.join(u' ');
}

std::vector<ForecastCase> forecastCases(const std::vector<PlannedRun>& planned, const ForecastSources& sources) {
    std::vector<ForecastCase> cases;
    std::vector<Settings> kinds;
    for (std::size_t i = 0; i < std::min(planned.size(), ForecastCase::kMostPlanned); ++i) {
        const Settings settings = settingsOf(planned[i].config);
        const Settings own = kindOf(settings, planned[i].parameters);
        if (std::ranges::find(kinds, own) != kinds.end()) continue;
        if (cases.size() == ForecastCase::kMostCases) break;
        ForecastCase made;
        if (const auto done = forecastInto(made, settings, planned[i], sources); !done) {
            made.why = QString::fromStdString(done.error().message);
        }
        kinds.push_back(own);
        cases.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].label = labelOf(kinds[i], kinds);
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
