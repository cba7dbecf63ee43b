#include "gui/experiment/model/forecast/forecast_case.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr double kMostNs = 9e18;

// Key for the number of weights, kept beside the settings.
const std::string kWeights = "weights";

const std::string kAlgorithm = "algorithm.", kMemory = "compute.memory_bandwidth";

const SchemaPlugin* algorithmOf(const Settings& settings, const ForecastSources& sources) {
    const auto found =
        std::ranges::find(sources.algorithms, settingOf(settings, "algorithm.name"), &SchemaPlugin::name);
    return found == sources.algorithms.end() ? nullptr : &*found;
}

std::string unquoted(const std::string& toml) { return toml.starts_with('"') ? toml.substr(1, toml.size() - 2) : toml; }

// Reads a field's value from the text, else its default.
PatternValues valuesOf(const Settings& settings, const SchemaPlugin& algorithm) {
    return [&settings, &algorithm](const std::string& field) -> std::optional<std::string> {
        std::string written = settingOf(settings, kAlgorithm + field);
        if (!written.empty()) return written;
        const FieldInfo* info = algorithm.field(field);
        if (!info) return std::nullopt;
        return unquoted(info->defaultToml);
    };
}

Settings kindOf(const Settings& settings, const PlannedRun& run, const SchemaPlugin* algorithm) {
    std::vector<std::string> own;
    if (algorithm) own = fieldsOf(algorithm->communication);
    const auto reads = [&](const std::string& key) {
        const bool ofAlgorithm = key.starts_with(kAlgorithm);
        return forecastReads(key) ||
               (ofAlgorithm && std::ranges::find(own, key.substr(kAlgorithm.size())) != own.end());
    };
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()), [&](const auto& one) { return reads(one.first); });
    kept[kWeights] = std::to_string(run.parameters);
    if (algorithm && algorithm->communication.ownCoding) kept[kMemory] = settingOf(settings, kMemory);
    if (run.compressed) {
        kept[kMemory] = settingOf(settings, kMemory);
        if (run.compressed->wholeSteps > 0) kept["train.steps"] = std::to_string(run.steps);
    }
    const bool changesOver =
        algorithm && !algorithm->communication.gradientSteps.field.empty() &&
        valuesOf(settings, *algorithm)(algorithm->communication.gradientSteps.field) != std::string("0");
    if (changesOver) kept["train.steps"] = std::to_string(run.steps);
    return kept;
}

// Keys with symbols, in the order of a label.
constexpr std::array kSymbols{
    std::pair{"algorithm.name", ""},
    std::pair{"algorithm.period", "τ"},
    std::pair{"algorithm.delay", "d"},
    std::pair{"cluster.workers", "P"},
    std::pair{"model.name", "model"},
    std::pair{"train.batch_size", "batch"},
    std::pair{"network.name", "network"},
    std::pair{"cluster.link.bandwidth", "link"},
    std::pair{"network.bandwidth", "link"},
    std::pair{"compute.step_time", "T_c"},
    std::pair{"compression.name", "compression"},
};

// True if the key has its default wherever it exists: such runs differ only in which algorithms have the key, and the
// name of the algorithm says so.
bool isDefaultInAll(const std::string& key, const std::vector<Settings>& all, const ForecastSources& sources) {
    return key.starts_with(kAlgorithm) && std::ranges::all_of(all, [&](const Settings& one) {
               const std::string value = settingOf(one, key);
               const SchemaPlugin* algorithm = algorithmOf(one, sources);
               const FieldInfo* info = algorithm ? algorithm->field(key.substr(kAlgorithm.size())) : nullptr;
               return value.empty() || (info && value == unquoted(info->defaultToml));
           });
}

// Symbols and values of the keys with more than one value; the name of the algorithm if there are none.
QString labelOf(const Settings& own, const std::vector<Settings>& all, const ForecastSources& sources) {
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
        if (!said && key != kWeights && !isDefaultInAll(key, all, sources))
            put(key, QString::fromStdString(key).section(u'.', -1));
    }
    // The number of weights follows from the model or the data, so it is named only if nothing else differs.
    if (words.isEmpty()) put(kWeights, QStringLiteral("weights"));
    return words.isEmpty() ? QString::fromStdString(settingOf(own, "algorithm.name"))
                           : words.join(QStringLiteral(", "));
}

QString symbolOf(const SchemaPlugin& algorithm, const std::string& field) {
    const FieldInfo* info = algorithm.field(field);
    return QString::fromStdString(info && !info->spec.symbol.empty() ? info->spec.symbol : field);
}

RemedySetting settingFor(const SchemaPlugin& algorithm, const std::string& field, qint64 value) {
    const FieldInfo* info = algorithm.field(field);
    const bool isSwitch = info && info->type == "bool";
    return {.symbol = symbolOf(algorithm, field),
            .key = QString::fromStdString(kAlgorithm + field),
            .toml = isSwitch ? (value > 0 ? QStringLiteral("true") : QStringLiteral("false")) : QString::number(value)};
}

QString assigned(const RemedySetting& setting) {
    bool isNumber = false;
    const qint64 number = setting.toml.toLongLong(&isNumber);
    return QStringLiteral("%1 = %2").arg(setting.symbol, isNumber ? grouped(number) : setting.toml);
}

QString atLeast(const RemedySetting& setting) {
    const bool isSwitch = setting.toml == QStringLiteral("true");
    return QStringLiteral("%1 %2 %3")
        .arg(setting.symbol, isSwitch ? QStringLiteral("=") : QStringLiteral("≥"), setting.toml);
}

// Adds the smallest delay that hides everything, if the algorithm has a delay, and the period that this delay needs.
void addRemedy(ForecastCase& made, const SchemaPlugin& algorithm, const CommunicationRound& round) {
    const CommunicationPattern& pattern = algorithm.communication;
    if (pattern.delay.field.empty() || round.gradients) return;
    const qint64 most =
        std::min<qint64>(ForecastCase::kMostDelay, pattern.mostDelay.value_or(ForecastCase::kMostDelay));
    made.longest = assigned(settingFor(algorithm, pattern.delay.field, most));
    for (const std::string& field : {pattern.delay.field, pattern.period.field}) {
        if (!field.empty()) made.decisive << QString::fromStdString(kAlgorithm + field);
    }
    if (made.round.blocked <= 0) return;
    RoundInput better = made.round.input;
    better.delay = hidingDelay(better);
    if (better.delay > most) return;
    const qint64 present = round.period * round.fragments;
    const qint64 needed = periodFor(pattern, round, better.delay);
    const bool wholePeriod = pattern.delay.field == pattern.period.field;
    const bool longer = needed > present && !wholePeriod;
    if (longer && pattern.period.field.empty()) return;
    better.period = static_cast<int>((wholePeriod ? needed : std::max(present, needed)) / round.fragments);
    auto remedy = forecastRound(better);
    if (!remedy) return;
    made.remedy = std::move(*remedy);
    made.settings = {settingFor(algorithm, pattern.delay.field, better.delay)};
    if (longer) made.settings.push_back(settingFor(algorithm, pattern.period.field, needed));
}

Result<CommunicationRound> roundOfPlan(const std::string& name, const Settings& settings, const PlannedRun& run,
                                       const SchemaPlugin* algorithm) {
    if (!algorithm || algorithm->communication.kind == CommunicationPattern::Kind::Undeclared) {
        return fail("There is no formula for " + name + ".");
    }
    auto round = roundOf(algorithm->communication, valuesOf(settings, *algorithm), run.steps,
                         run.compressed ? &*run.compressed : nullptr);
    if (!round) return fail("There is no formula for " + name + ": " + round.error().message + ".");
    const int workers = static_cast<int>(numberIn(settings, "cluster.workers").value_or(1));
    return withMessages(std::move(*round), weightBytesOf(settings, run.parameters), workers);
}

Result<void> forecastInto(ForecastCase& made, const Settings& settings, const PlannedRun& run,
                          const ForecastSources& sources) {
    const std::string name = settingOf(settings, "algorithm.name");
    made.algorithm = QString::fromStdString(name);
    const SchemaPlugin* algorithm = algorithmOf(settings, sources);
    DASGD_ASSIGN(const CommunicationRound round, roundOfPlan(name, settings, run, algorithm));
    DASGD_ASSIGN(made.step, stepTimeOf(settings, sources));
    if (round.sends) {
        DASGD_ASSIGN(made.average, averageTimeOf(settings, run.parameters, sources, round));
        // Gradients in several buckets leave during the backward pass, at times that a plan does not contain.
        const bool several = weightBytesOf(settings, run.parameters) > round.firstBucketBytes;
        if (round.gradients && made.average.exchange.transfers() > 0 && several) {
            return fail("There is no formula for " + name +
                        " with more than one bucket, as these weights need: advise simulates it.");
        }
    }
    for (const std::string& sentence : round.assumes) made.assumes << QString::fromStdString(sentence);
    if (!made.average.codingKnown) {
        made.assumes << QStringLiteral("Coding takes no time, as no calibration says how fast memory is.");
    }
    DASGD_ASSIGN(made.round, forecastRound({.period = static_cast<int>(round.period),
                                            .delay = static_cast<int>(round.delay),
                                            .compute = made.step.seconds,
                                            .forwardShare = made.step.forwardShare,
                                            .exchange = made.average.exchange,
                                            .contention = made.step.contention}));
    addRemedy(made, *algorithm, round);
    return {};
}

}  // namespace

QString secondsInWords(double seconds) {
    return durationInWords(static_cast<Ns>(std::llround(std::min(seconds * 1e9, kMostNs)))).text();
}

QString narrow(QString label) {
    return label.replace(QStringLiteral(" = "), QStringLiteral("\u00a0"))
        .replace(QStringLiteral(", "), QStringLiteral(" "));
}

QString ForecastCase::warning() const {
    if (!known() || round.blocked <= 0) return {};
    const QString waited = secondsInWords(round.blocked);
    if (!remedy && !longest.isEmpty()) {
        return QStringLiteral("%1 per round will not hide, not even with %2.").arg(waited, longest);
    }
    if (!remedy) {
        return QStringLiteral("%1 per %2 will not hide: %3 waits for each average.")
            .arg(waited, round.steps == 1 ? QStringLiteral("step") : QStringLiteral("round"), algorithm);
    }
    const QString longer = settings.size() > 1 ? QStringLiteral(", with ") + atLeast(settings.back()) : QString();
    return QStringLiteral("%1 per round will not hide; %2 would%3.").arg(waited, atLeast(settings.front()), longer);
}

QString ForecastCase::doubt() const {
    return known() && round.input.exchange.transfers() > 0 ? average.doubt : QString();
}

QString ForecastCase::reason() const {
    const ExchangeSeconds& exchange = round.input.exchange;
    if (!known() || exchange.transfers() <= 0) return {};
    const int delay = round.input.delay;
    if (delay == 0) {
        return QStringLiteral("The average takes %1, and nothing is computed meanwhile.")
            .arg(secondsInWords(exchange.transfers()));
    }
    const auto take = [this](int steps) {
        const double covering = steps * round.input.compute * (1 + round.input.contention);
        return QStringLiteral("%1 %2 %3")
            .arg(steps)
            .arg(steps == 1 ? QStringLiteral("step takes") : QStringLiteral("steps take"), secondsInWords(covering));
    };
    if (exchange.second == 0) {
        return QStringLiteral("%1, the average %2.").arg(take(delay), secondsInWords(exchange.first));
    }
    const StageDelays delays = stageDelays(exchange, delay);
    const QString first =
        QStringLiteral("%1, the first stage of the average %2").arg(take(delays.first), secondsInWords(exchange.first));
    const QString second = secondsInWords(exchange.second);
    return delays.second == 0 ? QStringLiteral("%1; nothing is computed beside the second, %2.").arg(first, second)
                              : QStringLiteral("%1; %2, the second %3.").arg(first, take(delays.second), second);
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
    if (!assumes.isEmpty()) words << QStringLiteral("Assumed: ") + assumes.join(u' ');
    if (round.block > 1) words << QStringLiteral("The picture draws %1 steps as one.").arg(grouped(round.block));
    words << QStringLiteral("T_c %1 from %2.").arg(secondsInWords(round.input.compute), step.from);
    const ExchangeSeconds& exchange = round.input.exchange;
    if (exchange.transfers() > 0) {
        words << QStringLiteral("T_m %1: %2.").arg(secondsInWords(exchange.transfers()), average.from);
    }
    if (exchange.coding() > 0) {
        words << QStringLiteral("Coding takes %1 of a round.").arg(secondsInWords(exchange.coding()));
    }
    if (!doubt().isEmpty()) words << doubt();
    return words.join(u' ');
}

std::vector<ForecastCase> forecastCases(const std::vector<PlannedRun>& planned, const ForecastSources& sources) {
    std::vector<ForecastCase> cases;
    std::vector<Settings> kinds;
    for (std::size_t i = 0; i < std::min(planned.size(), ForecastCase::kMostPlanned); ++i) {
        const Settings settings = settingsOf(planned[i].config);
        const Settings own = kindOf(settings, planned[i], algorithmOf(settings, sources));
        const auto known = std::ranges::find(kinds, own);
        if (known != kinds.end()) {
            cases[static_cast<std::size_t>(known - kinds.begin())].runs.push_back(i);
            continue;
        }
        if (cases.size() == ForecastCase::kMostCases) continue;
        ForecastCase made;
        made.runs = {i};
        if (const auto done = forecastInto(made, settings, planned[i], sources); !done) {
            made.why = QString::fromStdString(done.error().message);
        }
        kinds.push_back(own);
        cases.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) cases[i].label = labelOf(kinds[i], kinds, sources);
    return cases;
}

std::size_t mostExposed(const std::vector<ForecastCase>& cases) {
    const auto waits = [](const ForecastCase& one) {
        // Cases that a delay can improve come first, as waiting is inherent to the others.
        return std::tuple(one.remedy.has_value(), one.known(), one.known() ? one.round.blockedPerStep() : 0);
    };
    const auto found = std::ranges::max_element(cases, {}, waits);
    return found == cases.end() ? 0 : static_cast<std::size_t>(found - cases.begin());
}

}  // namespace dasgd::gui
