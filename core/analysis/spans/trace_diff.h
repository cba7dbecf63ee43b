// Comparison of two runs by the parts of a step, by kind. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/base/time_range.h"

namespace dasgd {

// Parts of a rank's steps in the whole rounds that lie in clean windows (SpanKind::Window) and in a stretch.
struct StepParts {
    // number of ranks with such steps; all numbers are means over them, each first over its own steps
    int ranks = 0;
    std::int64_t steps = 0;                              // over all ranks together
    double stepNs = 0;                                   // time of a step
    std::array<double, kSpanKindNames.size()> kindNs{};  // |∪ spans of the kind| ÷ steps
    double computeNs = 0, transferNs = 0, hiddenNs = 0;  // lengths of unions over the kinds, ÷ steps
    double blockedNs = 0;                                // |∪ wait| ÷ steps
    // hidden ÷ transfer, pooled by time; nullopt where nothing was transferred.
    [[nodiscard]] std::optional<double> hidden() const;
    [[nodiscard]] std::optional<double> blocked() const;  // ÷ time of a step
};

// Parts from spans of any ranks in any order; only what lies in those steps counts. In a window that the stretch cuts,
// a step begins with its first computation, and a round that is cut itself counts for nothing: for a rank that merges,
// a round goes from one step with a merge to the next, since the step that waits, the long one, would be the one that
// is cut; for a rank that takes snapshots alone, from one snapshot to the next; else each step is a round by itself.
// `rounds`: merges and snapshots of all windows that the stretch touches, which tell whether a rank has rounds where no
// merge is in sight.
[[nodiscard]] StepParts stepPartsOf(std::span<const RankSpan> spans, TimeRange stretch,
                                    std::span<const RankSpan> rounds = {});
// Range from the beginning of the first window that the stretch touches to the end of the last one.
[[nodiscard]] TimeRange windowsAround(std::span<const RankSpan> spans, TimeRange stretch);

// One line of a comparison. A value is absent where it is not known of that run.
struct PartDifference {
    enum class What : std::uint8_t { Step, Kind, Hidden, Blocked } what = What::Kind;
    SpanKind kind = SpanKind::Forward;  // for Kind
    std::optional<double> a, b;         // ns of a step; for Hidden and Blocked a share
    // b − a, and b ÷ a where a is not 0.
    [[nodiscard]] std::optional<double> difference() const;
    [[nodiscard]] std::optional<double> ratio() const;
};

// Numbers that a run can have at all: a trace of another program may hold no span of a wait.
struct KnownTimes {
    bool waits = true;
};

// The time of a step, each kind that one of them has (a kind that only one has is 0 for the other), hidden, blocked.
// Empty where neither has a whole step.
[[nodiscard]] std::vector<PartDifference> differencesOf(const StepParts& a, KnownTimes aKnown, const StepParts& b,
                                                        KnownTimes bKnown);

}  // namespace dasgd
