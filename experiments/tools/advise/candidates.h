// The settings that a forecast runs on a cluster: the advised one and the baselines that a referee would ask for. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/schema/value.h"
#include "experiments/config/schema.h"
#include "experiments/tools/advise/advice.h"

namespace dasgd::experiments {

// The role of a candidate. Code that treats candidates differently asks for the role, not for the algorithm's name.
enum class CandidateRole : std::uint8_t {
    Other,
    Advised,  // the advised setting itself
    Buckets,  // one of several sizes of buckets, of which the best is kept
    Alone     // only computes: every overlap is judged by it
};

struct Candidate {
    Value settings;  // its [algorithm]
    // The settings for a short time-only run: its first snapshot leaves at the start, so that timedSteps() hold whole
    // rounds.
    Value timed;
    double effective = 1;   // local steps that count ÷ made
    bool trainable = true;  // towards a target
    CandidateRole role = CandidateRole::Other;
};

// Candidates from the `algorithms` that declare a ForecastRole, by role; the one that only computes comes last.
// `byMessages`: collectives share links with one another; otherwise candidates that need this are left out.
[[nodiscard]] std::vector<Candidate> candidatesOf(const Advice& advice, bool byMessages,
                                                  const std::vector<AlgorithmInfo>& algorithms);

// "dasgd period=4 delay=1": the settings of a candidate in one line.
[[nodiscard]] std::string inWords(const Value& settings);

// So many that what counts (all but the first kWarmUpSteps) is whole rounds of `period` and of 4 steps.
[[nodiscard]] std::int64_t timedSteps(std::int64_t period);

}  // namespace dasgd::experiments
