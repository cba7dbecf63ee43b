// How the ranks of a run that was started by hand ended, as each of them learns it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/event.h"
#include "experiments/ranks/meeting/decision.h"

namespace dasgd::experiments {

struct RankOutcome {
    int rank = 0;
    std::string status;  // finished, stopped, failed
    std::string place;
};
[[nodiscard]] const char* statusOf(RankState state);

// How every rank ended, as far as it was told, the own outcome among them. A rank that failed waits for nobody; nor
// does anybody longer than the patience for the next of the others, but while their files are on their way
// (Decision::Options::moved).
[[nodiscard]] std::vector<RankOutcome> exchangeOutcomes(const Seat& seat, const RankOutcome& own,
                                                        std::function<std::int64_t()> moved = nullptr);

}  // namespace dasgd::experiments
