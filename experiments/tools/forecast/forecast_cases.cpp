#include "experiments/tools/forecast/forecast_cases.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "experiments/base/text.h"
#include "experiments/tools/advise/formula_times.h"

namespace dasgd::experiments {

namespace {

// Key for the number of weights, kept beside the settings.
const std::string kWeights = "weights";

const std::string kOfAlgorithm = "algorithm.", kMemoryKey = "compute.memory_bandwidth";

const AlgorithmInfo* algorithmOf(const Settings& settings, const ForecastSources& sources) {
    const auto found =
        std::ranges::find(sources.algorithms, settingOf(settings, "algorithm.name"), &AlgorithmInfo::name);
    return found == sources.algorithms.end() ? nullptr : &*found;
}

std::string unquoted(const std::string& toml) { return toml.starts_with('"') ? toml.substr(1, toml.size() - 2) : toml; }

// Reads a field's value from the text, else its default.
PatternValues valuesOf(const CheckedExperiment& run, const AlgorithmInfo& algorithm) {
    static const Value kNone;
    const Value* written = run.resolved.find("algorithm");
    return patternValues(algorithm, written ? *written : kNone);
}

Settings kindOf(const Settings& settings, const CheckedExperiment& run, const AlgorithmInfo* algorithm) {
    std::vector<std::string> own;
    if (algorithm) own = fieldsOf(algorithm->communication);
    const auto reads = [&](const std::string& key) {
        const bool ofAlgorithm = key.starts_with(kOfAlgorithm);
        return forecastReads(key) ||
               (ofAlgorithm && std::ranges::find(own, key.substr(kOfAlgorithm.size())) != own.end());
    };
    Settings kept;
    std::ranges::copy_if(settings, std::inserter(kept, kept.end()), [&](const auto& one) { return reads(one.first); });
    kept[kWeights] = std::to_string(run.parameters);
    if (algorithm && algorithm->communication.ownCoding) kept[kMemoryKey] = settingOf(settings, kMemoryKey);
    if (run.compressed) {
        kept[kMemoryKey] = settingOf(settings, kMemoryKey);
        if (run.compressed->wholeSteps > 0) kept["train.steps"] = std::to_string(run.totalSteps);
    }
    const bool changesOver = algorithm && !algorithm->communication.gradientSteps.field.empty() &&
                             valuesOf(run, *algorithm)(algorithm->communication.gradientSteps.field) != "0";
    if (changesOver) kept["train.steps"] = std::to_string(run.totalSteps);
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
    return key.starts_with(kOfAlgorithm) && std::ranges::all_of(all, [&](const Settings& one) {
               const std::string value = settingOf(one, key);
               const AlgorithmInfo* algorithm = algorithmOf(one, sources);
               const FieldInfo* info = algorithm ? algorithm->field(key.substr(kOfAlgorithm.size())) : nullptr;
               return value.empty() || (info && value == unquoted(info->defaultToml));
           });
}

// Symbols and values of the keys with more than one value; the name of the algorithm if there are none.
std::string labelOf(const Settings& own, const std::vector<Settings>& all, const ForecastSources& sources) {
    std::string words;
    const auto put = [&](const std::string& key, const std::string& symbol) {
        const std::string value = settingOf(own, key);
        const bool varies = std::ranges::any_of(all, [&](const Settings& one) { return settingOf(one, key) != value; });
        if (!varies || value.empty()) return;
        words += (words.empty() ? "" : ", ") + (symbol.empty() ? value : symbol + " = " + value);
    };
    for (const auto& [key, symbol] : kSymbols) put(key, symbol);
    for (const auto& [key, value] : own) {
        const bool said = std::ranges::any_of(kSymbols, [&](const auto& one) { return key == one.first; });
        if (!said && key != kWeights && !isDefaultInAll(key, all, sources)) put(key, key.substr(key.rfind('.') + 1));
    }
    // The number of weights follows from the model or the data, so it is named only if nothing else differs.
    if (words.empty()) put(kWeights, kWeights);
    return words.empty() ? settingOf(own, "algorithm.name") : words;
}

std::string symbolOf(const AlgorithmInfo& algorithm, const std::string& field) {
    const FieldInfo* info = algorithm.field(field);
    return info && !info->spec.symbol.empty() ? info->spec.symbol : field;
}

RemedySetting settingFor(const AlgorithmInfo& algorithm, const std::string& field, std::int64_t value) {
    const FieldInfo* info = algorithm.field(field);
    const bool isSwitch = info && info->type == "bool";
    return {.symbol = symbolOf(algorithm, field),
            .key = kOfAlgorithm + field,
            .toml = isSwitch ? (value > 0 ? "true" : "false") : std::to_string(value)};
}

std::string assigned(const RemedySetting& setting) { return setting.symbol + " = " + setting.toml; }

std::string atLeast(const RemedySetting& setting) {
    return setting.symbol + (setting.toml == "true" ? " = " : " ≥ ") + setting.toml;
}

// Adds the smallest delay that hides everything, if the algorithm has a delay, and the period that this delay needs.
// Returns the longest delay that is proposed, "d = 1000"; "" if no setting delays.
std::string addRemedy(ForecastCase& made, const AlgorithmInfo& algorithm, const CommunicationRound& round) {
    const CommunicationPattern& pattern = algorithm.communication;
    if (pattern.delay.field.empty() || round.gradients) return "";
    const std::int64_t most = std::min(kMostProposedDelay, pattern.mostDelay.value_or(kMostProposedDelay));
    const std::string longest = assigned(settingFor(algorithm, pattern.delay.field, most));
    for (const std::string& field : {pattern.delay.field, pattern.period.field}) {
        if (!field.empty()) made.decisive.push_back(kOfAlgorithm + field);
    }
    if (made.round->blocked <= 0) return longest;
    RoundInput better = made.round->input;
    better.delay = hidingDelay(better);
    if (better.delay > most) return longest;
    const std::int64_t present = round.period * round.fragments;
    const std::int64_t needed = periodFor(pattern, round, better.delay);
    const bool wholePeriod = pattern.delay.field == pattern.period.field;
    const bool longer = needed > present && !wholePeriod;
    if (longer && pattern.period.field.empty()) return longest;
    better.period = static_cast<int>((wholePeriod ? needed : std::max(present, needed)) / round.fragments);
    auto remedy = forecastRound(better);
    if (!remedy) return longest;
    made.remedy = std::move(*remedy);
    made.settings = {settingFor(algorithm, pattern.delay.field, better.delay)};
    if (longer) made.settings.push_back(settingFor(algorithm, pattern.period.field, needed));
    return longest;
}

std::string warningOf(const ForecastCase& made, const std::string& longest) {
    const RoundForecast& round = *made.round;
    if (round.blocked <= 0) return "";
    const std::string waited = secondsInWords(round.blocked);
    if (!made.remedy && !longest.empty()) return waited + " per round will not hide, not even with " + longest + ".";
    if (!made.remedy) {
        return waited + " per " + (round.steps == 1 ? "step" : "round") + " will not hide: " + made.algorithm +
               " waits for each average.";
    }
    const std::string longer = made.settings.size() > 1 ? ", with " + atLeast(made.settings.back()) : "";
    return waited + " per round will not hide; " + atLeast(made.settings.front()) + " would" + longer + ".";
}

std::string reasonOf(const RoundInput& input) {
    const ExchangeSeconds& exchange = input.exchange;
    if (exchange.transfers() <= 0) return "";
    if (input.delay == 0) {
        return "The average takes " + secondsInWords(exchange.transfers()) + ", and nothing is computed meanwhile.";
    }
    const auto take = [&](int steps) {
        return std::to_string(steps) + (steps == 1 ? " step takes " : " steps take ") +
               secondsInWords(steps * input.compute * (1 + input.contention));
    };
    if (exchange.second == 0) return take(input.delay) + ", the average " + secondsInWords(exchange.first) + ".";
    const StageDelays delays = stageDelays(exchange, input.delay);
    const std::string first =
        take(delays.first) + ", the first stage of the average " + secondsInWords(exchange.first) + "; ";
    const std::string second = secondsInWords(exchange.second);
    return first + (delays.second == 0 ? "nothing is computed beside the second, " + second + "."
                                       : take(delays.second) + ", the second " + second + ".");
}

std::string inWords(const ForecastCase& made) {
    const RoundForecast& round = *made.round;
    const ExchangeSeconds& exchange = round.input.exchange;
    std::string words = "Forecast by formula of " + made.label + ".";
    const auto say = [&](const std::string& sentence) {
        if (!sentence.empty()) words += " " + sentence;
    };
    say("A step takes " + secondsInWords(round.stepSeconds) + ", " + secondsInWords(round.blockedPerStep()) +
        " of it waiting, " + shortNumber(round.slowdown) + " times that of a step alone.");
    say(round.hidden ? percent(round.hidden) + " of each average is hidden." : "Nothing is averaged.");
    say(made.warning);
    say(made.reason);
    for (std::size_t i = 0; i < made.assumes.size(); ++i) say((i == 0 ? "Assumed: " : "") + made.assumes[i]);
    if (round.block > 1) say("The picture draws " + std::to_string(round.block) + " steps as one.");
    say("T_c " + secondsInWords(round.input.compute) + " from " + made.computeFrom + ".");
    if (exchange.transfers() > 0) say("T_m " + secondsInWords(exchange.transfers()) + ": " + made.exchangeFrom + ".");
    if (exchange.coding() > 0) say("Coding takes " + secondsInWords(exchange.coding()) + " of a round.");
    say(made.doubt);
    return words;
}

Result<CommunicationRound> roundOfPlan(const std::string& name, const Settings& settings, const CheckedExperiment& run,
                                       const AlgorithmInfo* algorithm) {
    if (!algorithm || algorithm->communication.kind == CommunicationPattern::Kind::Undeclared) {
        return fail("There is no formula for " + name + ".");
    }
    auto round = roundOf(algorithm->communication, valuesOf(run, *algorithm), run.totalSteps,
                         run.compressed ? &*run.compressed : nullptr);
    if (!round) return fail("There is no formula for " + name + ": " + round.error().message + ".");
    const int workers = static_cast<int>(numberIn(settings, "cluster.workers").value_or(1));
    return withMessages(std::move(*round), weightBytesOf(settings, run.parameters), workers);
}

Status forecastInto(ForecastCase& made, const Settings& settings, const CheckedExperiment& run,
                    const ForecastSources& sources) {
    const AlgorithmInfo* algorithm = algorithmOf(settings, sources);
    DASGD_ASSIGN(const CommunicationRound round, roundOfPlan(made.algorithm, settings, run, algorithm));
    DASGD_ASSIGN(const StepTime step, stepTimeOf(settings, sources));
    AverageTime average;
    if (round.sends) {
        DASGD_ASSIGN(average, averageTimeOf(settings, run.parameters, sources, round));
        // Gradients in several buckets leave during the backward pass, at times that a plan does not contain.
        const bool several = weightBytesOf(settings, run.parameters) > round.firstBucketBytes;
        if (round.gradients && average.exchange.transfers() > 0 && several) {
            return fail("There is no formula for " + made.algorithm +
                        " with more than one bucket, as these weights need: advise simulates it.");
        }
    }
    DASGD_ASSIGN(made.round, forecastRound({.period = static_cast<int>(round.period),
                                            .delay = static_cast<int>(round.delay),
                                            .compute = step.seconds,
                                            .forwardShare = step.forwardShare,
                                            .exchange = average.exchange,
                                            .contention = step.contention}));
    made.bytes = average.bytes;
    made.computeFrom = step.from;
    made.exchangeFrom = average.from;
    made.assumes = round.assumes;
    if (!average.codingKnown) {
        made.assumes.emplace_back("Coding takes no time, as no calibration says how fast memory is.");
    }
    if (average.exchange.transfers() > 0) made.doubt = average.doubt;
    made.warning = warningOf(made, addRemedy(made, *algorithm, round));
    made.reason = reasonOf(made.round->input);
    return {};
}

}  // namespace

std::vector<ForecastCase> forecastCases(const std::vector<CheckedExperiment>& planned, const ForecastSources& sources) {
    std::vector<ForecastCase> cases;
    std::vector<Settings> kinds;
    for (std::size_t i = 0; i < std::min(planned.size(), kMostForecastRuns); ++i) {
        const Settings settings = settingsOf(planned[i].resolved);
        const Settings own = kindOf(settings, planned[i], algorithmOf(settings, sources));
        const auto run = static_cast<std::int64_t>(i);
        const auto known = std::ranges::find(kinds, own);
        if (known != kinds.end()) {
            cases[static_cast<std::size_t>(known - kinds.begin())].runs.push_back(run);
            continue;
        }
        if (cases.size() == kMostForecastCases) continue;
        ForecastCase made;
        made.algorithm = settingOf(settings, "algorithm.name");
        made.runs = {run};
        if (const Status done = forecastInto(made, settings, planned[i], sources); !done) {
            made.why = done.error().message;
        }
        kinds.push_back(own);
        cases.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < cases.size(); ++i) {
        cases[i].label = labelOf(kinds[i], kinds, sources);
        cases[i].words = cases[i].known() ? inWords(cases[i]) : cases[i].why;
    }
    return cases;
}

std::size_t mostExposed(const std::vector<ForecastCase>& cases) {
    const auto waits = [](const ForecastCase& one) {
        // Cases that a delay can improve come first, as waiting is inherent to the others.
        return std::tuple(one.remedy.has_value(), one.known(), one.known() ? one.round->blockedPerStep() : 0);
    };
    const auto found = std::ranges::max_element(cases, {}, waits);
    return found == cases.end() ? 0 : static_cast<std::size_t>(found - cases.begin());
}

}  // namespace dasgd::experiments
