// Two runs beside each other: what a step of each is made of, by kind. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/analysis/timings.h"
#include "core/base/time_range.h"

namespace dasgd {

// Of a rank's steps in the whole rounds that lie in clean windows (SpanKind::Window) and in a stretch.
struct StepParts {
    int ranks = 0;           // that have such steps; all numbers are means over them, each first of its own steps
    std::int64_t steps = 0;  // of all of them together
    double stepNs = 0;       // time of a step
    std::array<double, kSpanKindNames.size()> kindNs{};  // |∪ spans of the kind| ÷ steps
    double computeNs = 0, transferNs = 0, hiddenNs = 0;  // of unions over the kinds, ÷ steps
    double blockedNs = 0;                                // |∪ wait| ÷ steps
    // hidden ÷ transfer, pooled by time; nullopt where nothing was transferred.
    [[nodiscard]] std::optional<double> hidden() const;
    [[nodiscard]] std::optional<double> blocked() const;  // ÷ time of a step
};

// Of spans of any ranks in any order; only what lies in those steps counts. Of a window that the stretch cuts, a step
// begins with its first computation, and what is cut itself counts for nothing: of a rank that merges the round from
// one step with a merge to the next, since the step that waits, the long one, would be the one that is cut; of one that
// takes snapshots alone the round between these; else each step by itself. `rounds`: merges and snapshots of all of the
// windows that the stretch touches, by which it is known whether a rank has rounds where no merge is in sight.
[[nodiscard]] StepParts stepPartsOf(std::span<const RankSpan> spans, TimeRange stretch,
                                    std::span<const RankSpan> rounds = {});
// From the beginning of the first window that the stretch touches to the end of the last one.
[[nodiscard]] TimeRange windowsAround(std::span<const RankSpan> spans, TimeRange stretch);

// One line of a comparison. Absent: nothing of it is known of that run.
struct PartDifference {
    enum class What : std::uint8_t { Step, Kind, Hidden, Blocked } what = What::Kind;
    SpanKind kind = SpanKind::Forward;  // of Kind
    std::optional<double> a, b;         // ns of a step; of Hidden and Blocked a share
    // b − a, and b ÷ a where a is not 0.
    [[nodiscard]] std::optional<double> difference() const;
    [[nodiscard]] std::optional<double> ratio() const;
};

// Which numbers a run can have at all: a trace of another program may hold no span of a wait.
struct Knows {
    bool waits = true;
};

// The time of a step, each kind that one of them has (a kind that only one has is 0 for the other), hidden, blocked.
// Empty where neither has a whole step.
[[nodiscard]] std::vector<PartDifference> differencesOf(const StepParts& a, Knows aKnows, const StepParts& b,
                                                        Knows bKnows);

}  // namespace dasgd
