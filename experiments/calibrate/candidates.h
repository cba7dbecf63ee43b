// What a forecast runs on a cluster: the advised setting, and what a referee would ask about beside it. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/value.h"
#include "experiments/calibrate/advice.h"
#include "experiments/config/schema.h"

namespace dasgd::experiments {

// What a candidate is there for. Whatever treats one differently asks this, not for an algorithm by its name.
enum class CandidateRole : std::uint8_t {
    Other,
    Advised,  // the advised setting itself
    Buckets,  // one of several sizes of buckets, of which the best is kept
    Alone     // only computes: every overlap is judged by it
};

struct Candidate {
    Value settings;  // its [algorithm]
    // The same for a short run that is only timed: its first snapshot leaves at the start, so that timedSteps() hold as
    // many rounds as they are long.
    Value timed;
    double effective = 1;   // local steps that count ÷ made
    bool trainable = true;  // towards a target
    CandidateRole role = CandidateRole::Other;
};

// Of those of `algorithms` that declare a ForecastRole, by role; what only computes last. `byMessages`: collectives
// share links with one another; otherwise what is after that alone is left out.
[[nodiscard]] std::vector<Candidate> candidatesOf(const Advice& advice, bool byMessages,
                                                  const std::vector<SchemaPlugin>& algorithms);

// "dasgd period=4 delay=1": the settings of a candidate in one line.
[[nodiscard]] std::string inWords(const Value& settings);

// So many that what counts (all but the first kWarmUpSteps) is whole rounds of `period` and of 4 steps.
[[nodiscard]] std::int64_t timedSteps(std::int64_t period);

}  // namespace dasgd::experiments
