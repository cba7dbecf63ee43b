// Finds the ranks of a live run that no longer record anything, and which stopped first, to locate a hang.
#pragma once

#include <QString>
#include <map>
#include <span>

#include "core/analysis/spans/timings.h"

namespace dasgd::gui {

// The last finished span that a rank recorded. A span in progress is recorded when it ends.
struct LastHeard {
    SpanKind kind{};
    std::int64_t step = 0;
    Ns end = 0;
};
using LastHeardOfRanks = std::map<int, LastHeard>;

// Updates `heard` with the newest of `spans`, in any order.
void hear(LastHeardOfRanks& heard, std::span<const RankSpan> spans);

// "nothing was recorded for 12 s; rank 2 fell silent first, 0.8 s before the next, after forward of step 41", or, if
// others go on, "rank 2 is silent for 12 s, after forward of step 41". "" while no rank is silent. Silence takes five
// seconds and ten times `stepS`, the usual duration of a step, so that evaluations and slow steps do not count. `now`:
// on the time axis of the run.
[[nodiscard]] QString silenceInWords(const LastHeardOfRanks& heard, Ns now, double stepS);

}  // namespace dasgd::gui
