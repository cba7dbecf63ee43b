// Which rank of a live run has stopped telling what it does, and which stopped first: where a run hangs.
#pragma once

#include <QString>
#include <map>
#include <span>

#include "core/analysis/timings.h"

namespace dasgd::gui {

// The last thing that a rank did and recorded. What it does now is recorded when it has ended.
struct LastHeard {
    SpanKind kind{};
    std::int64_t step = 0;
    Ns end = 0;
};
using LastHeardOfRanks = std::map<int, LastHeard>;

// Takes the newer of what is known and what is in `spans`, in any order.
void hear(LastHeardOfRanks& heard, std::span<const RankSpan> spans);

// "nothing was recorded for 12 s; rank 2 fell silent first, 0.8 s before the next, after forward of step 41", or of
// ranks that are silent while others go on "rank 2 is silent for 12 s, after forward of step 41". "" while all of them
// are heard of: an evaluation or a slow step is no silence, so it takes five seconds, and ten times `stepS`, a step's
// usual time. `now` on the time line of the run.
[[nodiscard]] QString silenceInWords(const LastHeardOfRanks& heard, Ns now, double stepS);

}  // namespace dasgd::gui
