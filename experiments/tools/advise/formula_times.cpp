#include "experiments/tools/advise/formula_times.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "core/cost/communication_pattern.h"

namespace dasgd::experiments {

namespace {

constexpr std::string_view kCompression = "compression";  // section

}  // namespace

PatternValues patternValues(const AlgorithmInfo& algorithm, const Value& settings) {
    return [&](const std::string& name) -> std::optional<std::string> {
        const FieldInfo* field = algorithm.field(name);
        if (!field) return std::nullopt;
        const Value* set = settings.find(name);
        const std::string text = set ? set->toToml() : field->defaultToml;
        return text.starts_with('"') ? text.substr(1, text.size() - 2) : text;
    };
}

double patternNumber(const PatternNumber& number, const PatternValues& values) {
    if (number.field.empty()) return number.value;
    const std::optional<std::string> text = values(number.field);
    if (text == "true") return 1;
    return text ? std::strtod(text->c_str(), nullptr) : 0;
}

namespace {

Value advisedSettings(const AlgorithmInfo& algorithm, const Advice& advice) {
    const CommunicationPattern& pattern = algorithm.communication;
    Value settings;
    settings.set("name", Value(algorithm.name));
    const auto defaults = roundOf(pattern, patternValues(algorithm, settings), 0);
    if (!defaults || !defaults->sends || defaults->gradients || pattern.period.field.empty()) return settings;
    const bool wholePeriod = pattern.delay.field == pattern.period.field;
    std::int64_t period = advice.period;
    if (!pattern.delay.field.empty()) period = std::max(period, periodFor(pattern, *defaults, advice.delay));
    const std::int64_t parts = defaults->fragments;
    settings.set(pattern.period.field, Value((period + parts - 1) / parts * parts));
    if (!pattern.delay.field.empty() && !wholePeriod) settings.set(pattern.delay.field, Value(advice.delay));
    return settings;
}

FormulaTime formulaTimeOf(const ClusterFacts& facts, const Advice& advice, const AlgorithmInfo& algorithm) {
    FormulaTime made{.algorithm = algorithm.name, .settings = advisedSettings(algorithm, advice)};
    const bool compresses =
        facts.compressed && std::ranges::find(algorithm.reads, kCompression) != algorithm.reads.end();
    auto round = roundOf(algorithm.communication, patternValues(algorithm, made.settings), 0,
                         compresses ? &*facts.compressed : nullptr);
    if (round) *round = withMessages(std::move(*round), facts.bytes, facts.workers);
    if (!round) {
        made.why = round.error().message;
        return made;
    }
    if (round->gradients && facts.bytes > round->firstBucketBytes) {
        made.why = "its buckets leave during the backward pass, which is simulated";
        return made;
    }
    const ExchangeSeconds exchange =
        exchangeSeconds(*round, {}, facts.link, facts.bytes, facts.workers, facts.memoryBytesPerSecond);
    const double contention = facts.countedContention();
    made.assumes = round->assumes;
    if (round->compressed && facts.memoryBytesPerSecond == 0) {
        made.assumes.push_back("Coding takes no time, as the rate of memory is not known.");
    }
    if (facts.compressed && round->sends && !round->compressed) made.assumes.push_back("It travels uncompressed.");
    if (round->peers == 0 && round->servers == 0) {
        made.sentBytes = sentInExchange(*round, static_cast<std::int64_t>(facts.bytes), facts.workers);
    }
    made.stepSeconds = roundStepSeconds(*round, facts.stepSeconds, exchange, contention);
    const StageDelays delays = stageDelays(exchange, static_cast<int>(round->delay));
    const auto covered = [&](double transfer, int steps) {
        return std::min(transfer, steps * facts.stepSeconds * (1 + contention));
    };
    if (exchange.transfers() > 0) {
        made.hidden =
            (covered(exchange.first, delays.first) + covered(exchange.second, delays.second)) / exchange.transfers();
    }
    return made;
}

}  // namespace

std::vector<FormulaTime> formulaTimes(const ClusterFacts& facts, const Advice& advice,
                                      const std::vector<AlgorithmInfo>& algorithms) {
    std::vector<FormulaTime> times;
    if (facts.link.beta <= 0) return times;
    for (const AlgorithmInfo& algorithm : algorithms) times.push_back(formulaTimeOf(facts, advice, algorithm));
    return times;
}

}  // namespace dasgd::experiments
