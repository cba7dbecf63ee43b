// The time of a step of every algorithm by its declared communication pattern (core/cost/communication_pattern.h), at
// an advised period and delay: nothing is run. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/schema/value.h"
#include "core/cost/communication_pattern.h"
#include "experiments/config/schema.h"
#include "experiments/tools/advise/advice.h"

namespace dasgd::experiments {

// The fields of `algorithm` as `settings`, a table of it, have them; those that it leaves out by their defaults. Refers
// to both.
[[nodiscard]] PatternValues patternValues(const AlgorithmInfo& algorithm, const Value& settings);

// The number with these values; 0 where its field has none.
[[nodiscard]] double patternNumber(const PatternNumber& number, const PatternValues& values);

struct FormulaTime {
    std::string algorithm;
    Value settings;                     // its table: what differs from the defaults
    std::optional<double> stepSeconds;  // none where there is no formula
    std::optional<double> hidden;       // share of an exchange that computing covers; none where nothing is sent
    // Bytes that a rank sends in one exchange; none where it is with peers or servers.
    std::optional<std::int64_t> sentBytes;
    std::string why;  // there is none
    std::vector<std::string> assumes;
};

// In the order of `algorithms`. A ring over the link of `facts` where all ranks reduce; the fields that hold period and
// delay are the advised ones, the period longer where the delay needs it. Algorithms that read [compression] have the
// compressed exchanges of `facts`. Nothing of a cluster without a known link.
[[nodiscard]] std::vector<FormulaTime> formulaTimes(const ClusterFacts& facts, const Advice& advice,
                                                    const std::vector<AlgorithmInfo>& algorithms);

}  // namespace dasgd::experiments
