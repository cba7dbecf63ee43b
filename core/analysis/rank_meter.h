// The overlap numbers of one rank, formed from its spans over a whole run in bounded memory. Only what lies in clean
// windows (SpanKind::Window) counts.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/event.h"
#include "core/base/time_range.h"

namespace dasgd {

// Sums over clean windows; all but `skew` are of unions of intervals. A collective that was never divided is in none.
struct OverlapTotals {
    Ns window = 0;               // |∪ windows|
    Ns transfer = 0;             // |∪ transfer|
    Ns compute = 0;              // |∪ compute|
    Ns hidden = 0;               // |∪ transfer ∩ ∪ compute|
    Ns blocked = 0;              // |∪ wait|
    Ns skew = 0;                 // Σ skew
    std::int64_t transfers = 0;  // number of transfers that ended in a window
    // Forward and backward passes of whole steps of equal work: of those beside a collective, divided into the part
    // under moving bytes and the rest, and of those in which none was in flight.
    struct Steps {
        std::int64_t beside = 0, free = 0;  // numbers of steps
        Ns coveredTime = 0, uncoveredTime = 0, freeTime = 0;
        bool operator==(const Steps&) const = default;
    };
    // By the number of samples of a step, 0 where the spans do not give it: the last batch of an epoch may be short.
    std::map<std::int64_t, Steps> steps;

    OverlapTotals& operator+=(const OverlapTotals& more);
    // Least data for inflation(): steps of either kind, and the covered share of the steps beside collectives.
    static constexpr std::int64_t kFewestSteps = 10;
    static constexpr double kLeastCovered = 0.25;
    // Over the steps with the most frequent number of samples: time under a transfer ÷ time of the same work without
    // one, which is the mean free step less the uncovered work of the steps beside collectives. Which steps count must
    // not depend on how long they took: steps that a short transfer covers whole are the fast ones, and their mean
    // would say that moving bytes speeds computing up. nullopt with less than kFewestSteps of a kind, or where
    // transfers covered less than kLeastCovered of the steps beside them.
    [[nodiscard]] std::optional<double> inflation() const;
    bool operator==(const OverlapTotals&) const = default;
};

// The totals are those of the set of spans, whatever order they come in, as long as isPartial() is false. The meter
// counts a span for good, and forgets it, once two more windows have passed, every reduce that it was told of and that
// began before is divided, and at least kLeastKept spans came after. A meter that has to keep more than `mostKept`
// spans forgets the older half; what comes later counts from `settledUntil()` on, and so do the windows, so that a lack
// of memory makes the numbers those of less time. One thread at a time.
class RankMeter {
public:
    static constexpr std::size_t kLeastKept = 512;
    static constexpr std::size_t kMostKept = 16'384;

    explicit RankMeter(std::size_t mostKept = kMostKept) : mostKept_(mostKept) {}

    // Compute, wait, reduce, skew, transfer and window; other kinds are ignored. A reduce of a collective is open until
    // the transfer of that collective comes. The rank's reduces come before what they are divided into.
    void add(const Span& span);
    // The open reduce of this collective will never be divided: the steps that it touches stay out of the inflation.
    void giveUp(std::uint64_t collective);
    // Totals of everything so far.
    [[nodiscard]] OverlapTotals totals() const;
    // Spans before this instant are counted for good.
    [[nodiscard]] Ns settledUntil() const { return settled_; }
    // Counts spans kept from before `instant` for good, whatever may still come: the meter is partial then.
    void forgetBefore(Ns instant);
    // True where some spans are in no number, or not whole: they came after their time was counted, or memory ran out.
    [[nodiscard]] bool isPartial() const { return partial_; }
    [[nodiscard]] std::size_t kept() const { return items_.size(); }

    // The meter as bytes, for another process that continues it. `load` answers nullopt for bytes that `save` did not
    // make.
    [[nodiscard]] std::string save() const;
    [[nodiscard]] static std::optional<RankMeter> load(std::string_view bytes, std::size_t mostKept = kMostKept);

private:
    struct Item {
        Ns start = 0, end = 0;
        std::int64_t step = 0;
        SpanKind kind{};
        std::uint32_t samples = 0;  // of a forward pass
    };
    struct Sets;

    void settle();
    void settleBefore(Ns instant);
    [[nodiscard]] Ns settleable() const;
    [[nodiscard]] Ns medianEnd() const;
    [[nodiscard]] Ns betweenStepsBefore(Ns instant) const;
    [[nodiscard]] std::size_t nextSettling() const;
    [[nodiscard]] OverlapTotals measure(Ns from, Ns until) const;
    void measureSteps(const Sets& sets, Ns from, Ns until, OverlapTotals& totals) const;

    std::size_t mostKept_;
    std::vector<Item> items_;                  // in order of arrival
    std::map<std::uint64_t, TimeRange> open_;  // reduces that are not divided yet, by collective
    OverlapTotals totals_;                     // totals of the time before settled_
    Ns settled_ = std::numeric_limits<Ns>::min();
    bool partial_ = false;
    std::size_t settleAt_ = 2 * kLeastKept;
};

}  // namespace dasgd
