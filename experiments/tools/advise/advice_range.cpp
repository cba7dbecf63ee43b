#include "experiments/tools/advise/advice_range.h"

#include <algorithm>
#include <vector>

#include "experiments/base/text.h"
#include "experiments/config/document.h"

namespace dasgd::experiments {

namespace {

// The lower end stays above 0, as a time does.
std::vector<double> endsOf(double value, double share) {
    constexpr double kMostShare = 0.99;
    if (share <= 0) return {value};
    return {value * (1 - std::min(share, kMostShare)), value * (1 + share)};
}

// Period and delay grow with T_m and κ and fall with T_c, so that the ends of the intervals have the extremes.
std::vector<ClusterFacts> cornersOf(const ClusterFacts& facts, const ConstantsUncertainty& uncertainty) {
    std::vector<std::optional<double>> contentions{facts.contention};
    if (uncertainty.contention) contentions = {uncertainty.contention->first, uncertainty.contention->second};
    std::vector<ClusterFacts> corners;
    for (const double step : endsOf(facts.stepSeconds, uncertainty.step)) {
        for (const double exchange : endsOf(facts.reduceSeconds, uncertainty.exchange)) {
            for (const std::optional<double>& contention : contentions) {
                ClusterFacts& corner = corners.emplace_back(facts);
                corner.stepSeconds = step;
                corner.reduceSeconds = exchange;
                corner.contention = contention;
            }
        }
    }
    return corners;
}

std::string range(const std::string& symbol, std::int64_t least, std::int64_t most) {
    return symbol + " = " + std::to_string(least) + (most > least ? " to " + std::to_string(most) : "");
}

// Intervals of what is known, and which constants count as exact.
std::string constantsInWords(const ConstantsUncertainty& uncertainty) {
    std::string known, exact;
    const auto add = [](std::string& words, const char* between, const std::string& part) {
        words += (words.empty() ? "" : between) + part;
    };
    add(uncertainty.step > 0 ? known : exact, uncertainty.step > 0 ? ", " : " and ",
        uncertainty.step > 0 ? "T_c ± " + percent(uncertainty.step) : "T_c");
    add(uncertainty.exchange > 0 ? known : exact, uncertainty.exchange > 0 ? ", " : " and ",
        uncertainty.exchange > 0 ? "T_m ± " + percent(uncertainty.exchange) : "T_m");
    if (const auto& ends = uncertainty.contention) {
        add(known, ", ", "κ " + shortNumber(ends->first) + " to " + shortNumber(ends->second));
    } else {
        add(exact, " and ", "κ");
    }
    return known + (exact.empty() ? "" : "; " + exact + " counted as exact");
}

}  // namespace

ConstantsUncertainty uncertaintyOf(const Value& document) {
    ConstantsUncertainty uncertainty;
    const Value* compute = document.find("compute");
    const Value* table = compute && compute->isTable() ? compute->find("uncertainty") : nullptr;
    if (!table || !table->isTable()) return uncertainty;
    const auto number = [](const Value* value) {
        const auto* real = value ? value->as<double>() : nullptr;
        const auto* whole = value ? value->as<std::int64_t>() : nullptr;
        return real ? *real : whole ? static_cast<double>(*whole) : 0.0;
    };
    uncertainty.step = number(table->find("step_time"));
    uncertainty.exchange = number(table->find("exchange"));
    const Value* contention = table->find("contention");
    const auto* ends = contention ? contention->as<Value::Array>() : nullptr;
    if (ends && ends->size() == 2) uncertainty.contention = {number(&ends->front()), number(&ends->back())};
    return uncertainty;
}

AdviceRange adviceRange(const ClusterFacts& facts, const ConstantsUncertainty& uncertainty, double allowedOverhead,
                        const Advice& advice) {
    AdviceRange range{.leastPeriod = advice.period,
                      .mostPeriod = advice.period,
                      .leastDelay = advice.delay,
                      .mostDelay = advice.delay,
                      .shortestAlike = advice.period};
    for (const ClusterFacts& corner : cornersOf(facts, uncertainty)) {
        const Advice other = advise(corner, allowedOverhead);
        range.leastPeriod = std::min(range.leastPeriod, other.period);
        range.mostPeriod = std::max(range.mostPeriod, other.period);
        range.leastDelay = std::min(range.leastDelay, other.delay);
        range.mostDelay = std::max(range.mostDelay, other.delay);
    }
    while (range.shortestAlike > advice.delay &&
           stepByFormula(facts, range.shortestAlike - 1, advice.delay) <= advice.stepSeconds * (1 + uncertainty.step)) {
        --range.shortestAlike;
    }
    return range;
}

std::string inWords(const AdviceRange& found, const ConstantsUncertainty& uncertainty, const Advice& advice) {
    if (!uncertainty.isKnown())
        return "The constants count as exact: [compute.uncertainty] does not say how well they are known.";
    const std::string constants = constantsInWords(uncertainty);
    const bool holds = found.leastPeriod == found.mostPeriod && found.leastDelay == found.mostDelay;
    std::string words = holds ? "The advice is the same within the intervals of the constants (" + constants + ")."
                              : "Within the intervals of the constants (" + constants + ") it would be " +
                                    range("τ", found.leastPeriod, found.mostPeriod) + " and " +
                                    range("d", found.leastDelay, found.mostDelay) +
                                    ": a longer calibration, with nothing else on the machines, would tell.";
    if (found.shortestAlike < advice.period) {
        words +=
            " " + range("τ", found.shortestAlike, advice.period) +
            " cannot be told apart: their steps differ by less than T_c is known, and the shorter averages more often.";
    }
    return words;
}

}  // namespace dasgd::experiments
