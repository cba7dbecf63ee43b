// What the spans of one rank say of its overlap, over a whole run in bounded memory. Only what lies in clean windows
// (SpanKind::Window) counts.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/event.h"

namespace dasgd {

// Sums over clean windows; of unions of intervals, but for `skew`. A collective that was never divided is in none.
struct OverlapTotals {
    Ns window = 0;               // |∪ windows|
    Ns transfer = 0;             // |∪ transfer|
    Ns compute = 0;              // |∪ compute|
    Ns hidden = 0;               // |∪ transfer ∩ ∪ compute|
    Ns blocked = 0;              // |∪ wait|
    Ns skew = 0;                 // Σ skew
    std::int64_t transfers = 0;  // that ended in a window
    // Forward and backward of whole steps: of those beside a collective, as far as its bytes moved and as far as they
    // did not, and of those in which none was in flight.
    std::int64_t besideSteps = 0, freeSteps = 0;
    Ns coveredTime = 0, uncoveredTime = 0, freeTime = 0;

    OverlapTotals& operator+=(const OverlapTotals& more);
    // Time under a transfer ÷ what the same work takes with none: that of the mean free step, less what the steps
    // beside collectives did uncovered. Which steps count must not depend on how long they took: those that a short
    // transfer covers whole are the fast ones, and their mean would say that moving bytes speeds computing up. nullopt
    // with less than kFewestSteps of a kind, or where transfers covered less than kLeastCovered of the steps beside
    // them.
    static constexpr std::int64_t kFewestSteps = 10;
    static constexpr double kLeastCovered = 0.25;
    [[nodiscard]] std::optional<double> inflation() const;
    bool operator==(const OverlapTotals&) const = default;
};

// Spans come in the order in which they became known: a reduce up to a period late, divided later still. The meter
// keeps spans until two more windows have passed, every reduce that began before is divided, and at least kLeastKept
// came after; but never more than kMostKept. What comes later than that counts only from `settledUntil()` on, and so do
// the windows, so that a lack of memory makes the numbers those of less time, not wrong. One thread at a time.
class RankMeter {
public:
    static constexpr std::size_t kLeastKept = 512;
    static constexpr std::size_t kMostKept = 16'384;

    // Compute, wait, reduce, skew, transfer and window; other kinds are ignored. A reduce of a collective is open until
    // the transfer of that collective comes.
    void add(const Span& span);
    // Of everything so far.
    [[nodiscard]] OverlapTotals totals() const;
    // Nothing before is looked at any more.
    [[nodiscard]] Ns settledUntil() const { return settled_; }
    // From here on only: what was kept of before is forgotten, what it came to is not.
    void forgetBefore(Ns instant);
    [[nodiscard]] std::size_t kept() const { return items_.size(); }

    // The meter as bytes, for the one who goes on with it. `load` answers nullopt for bytes that `save` did not make.
    [[nodiscard]] std::string save() const;
    [[nodiscard]] static std::optional<RankMeter> load(std::string_view bytes);

private:
    struct Item {
        Ns start = 0, end = 0;
        std::int64_t step = 0;
        SpanKind kind{};
    };
    struct Open {
        std::uint64_t collective = 0;
        Ns start = 0, end = 0;
    };
    struct Sets;

    void close(std::uint64_t collective);
    void settle();
    [[nodiscard]] Ns settleable() const;
    [[nodiscard]] Ns medianEnd() const;
    [[nodiscard]] Ns startOfStepBefore(Ns instant) const;
    [[nodiscard]] OverlapTotals measure(Ns from, Ns until) const;
    void measureSteps(const Sets& sets, Ns from, Ns until, OverlapTotals& totals) const;

    std::vector<Item> items_;  // in order of arrival
    std::vector<Open> open_;
    OverlapTotals totals_;  // of what ended before settled_
    Ns settled_ = std::numeric_limits<Ns>::min();
    std::size_t settleAt_ = 2 * kLeastKept;
};

}  // namespace dasgd
