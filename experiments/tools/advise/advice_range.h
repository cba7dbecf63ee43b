// What an advice rests on: the settings that it would be within the intervals of the constants, and those that cannot
// be told apart by them. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "core/base/schema/value.h"
#include "experiments/tools/advise/advice.h"

namespace dasgd::experiments {

// How well the constants of a cluster are known.
struct ConstantsUncertainty {
    double step = 0;                                           // T_c is known to ± this share of it
    double exchange = 0;                                       // and T_m
    std::optional<std::pair<double, double>> contention = {};  // ends of κ's interval
    [[nodiscard]] bool isKnown() const { return step > 0 || exchange > 0 || contention; }
};

// [compute.uncertainty] of a document, as a calibration leaves it; nothing known where it has none.
[[nodiscard]] ConstantsUncertainty uncertaintyOf(const Value& document);

struct AdviceRange {
    // Least and most of what is advised over all constants within their intervals.
    std::int64_t leastPeriod = 0, mostPeriod = 0, leastDelay = 0, mostDelay = 0;
    // The shortest period, with the advised delay, whose step by formula is longer than the advised one's by no more
    // than the share to which T_c is known.
    std::int64_t shortestAlike = 0;
};

[[nodiscard]] AdviceRange adviceRange(const ClusterFacts& facts, const ConstantsUncertainty& uncertainty,
                                      double allowedOverhead, const Advice& advice);
// One or two sentences.
[[nodiscard]] std::string inWords(const AdviceRange& range, const ConstantsUncertainty& uncertainty,
                                  const Advice& advice);

}  // namespace dasgd::experiments
