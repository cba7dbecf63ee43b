// Forms the overlap numbers of one rank from its spans, over a whole run and in bounded memory.
//
// Clean window (SpanKind::Window): a stretch of whole steps without an evaluation, a checkpoint or start-up. Only time
// in clean windows counts. Dividing a collective: its Reduce span, from the arrival of this rank to the end, is
// replaced by Skew (until the last rank arrived) and Transfer (from then on), once the arrivals of all ranks are known.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/event.h"
#include "core/base/time_range.h"

namespace dasgd {

// Totals over the clean windows of one rank. A collective that was never divided is neither in `transfer` nor in
// `skew`; waits for it are in `blocked`.
struct OverlapTotals {
    Ns window = 0;               // time in clean windows
    Ns transfer = 0;             // time in which at least one transfer was under way
    Ns compute = 0;              // time in which the rank computed (isCompute())
    Ns hidden = 0;               // time in which the rank computed while a transfer was under way
    Ns blocked = 0;              // time in which the rank waited
    Ns skew = 0;                 // sum of the lengths of all skews, which may overlap each other
    std::int64_t transfers = 0;  // number of transfers that ended in a window
    // Forward and backward passes of whole steps with one number of samples, in two groups: steps beside a collective,
    // during which a skew or a transfer was under way, and free steps, during which none was.
    struct Steps {
        std::int64_t beside = 0, free = 0;  // number of steps in each group
        Ns coveredTime = 0;    // pass time of the steps beside a collective, while a transfer was under way
        Ns uncoveredTime = 0;  // pass time of the same steps, while none was
        Ns freeTime = 0;       // pass time of the free steps
        bool operator==(const Steps&) const = default;
    };
    // By the number of samples of a step, 0 where the spans do not give it: the last batch of an epoch may be short.
    std::map<std::int64_t, Steps> steps;

    OverlapTotals& operator+=(const OverlapTotals& more);
    // Least data for inflation(): number of steps in each group, and share of pass time that transfers cover in the
    // steps beside collectives.
    static constexpr std::int64_t kFewestSteps = 10;
    static constexpr double kLeastCovered = 0.25;
    // Factor by which transfers lengthen computing, from the steps with the most frequent number of samples:
    //
    //   coveredTime ÷ (beside · freeTime / free − uncoveredTime)
    //
    // The denominator is the time that the covered work would have taken without a transfer: the steps beside a
    // collective at the mean length of a free step, less the part of them that no transfer covered. All steps beside a
    // collective count, not only those that a transfer covers whole: a short transfer covers only the fast steps whole,
    // and their mean would say that transfers speed computing up. nullopt with fewer than kFewestSteps steps in either
    // group, with a covered share below kLeastCovered, and where the denominator is not positive.
    [[nodiscard]] std::optional<double> inflation() const;
    bool operator==(const OverlapTotals&) const = default;
};

// Meter of one rank. While isPartial() is false the totals depend on the set of spans alone, not on their order.
//
// The meter settles time from its start onwards: the spans of settled time are added to the totals and dropped. Time is
// settled when nothing that belongs to it can come any more: two more windows have passed, every reduce that was added
// and began before is divided or given up, and at least kLeastKept spans were added after. A meter that holds
// `mostKept` spans settles early: up to the start of a step near the median end of its spans, or, where that frees too
// little, up to the median end itself. Spans that come for settled time later are counted from settledUntil() on, and
// so are windows; lack of memory thus makes the numbers those of less time. One thread at a time.
class RankMeter {
public:
    static constexpr std::size_t kLeastKept = 512;
    static constexpr std::size_t kMostKept = 16'384;

    explicit RankMeter(std::size_t mostKept = kMostKept) : mostKept_(mostKept) {}

    // Takes spans of the kinds isCompute(), Wait, Skew, Transfer and Window, and Reduce of a collective; ignores other
    // kinds, and a Reduce without a collective (number 0). A reduce stays open until the transfer of its collective is
    // added. Precondition: a reduce is added before the skew and the transfer into which it is divided.
    void add(const Span& span);
    // Marks the open reduce of this collective as one that will never be divided: the steps that it overlaps are in no
    // inflation. Nothing happens where none is open.
    void giveUp(std::uint64_t collective);
    // Totals of all spans that were added so far.
    [[nodiscard]] OverlapTotals totals() const;
    // Instant until which time is settled.
    [[nodiscard]] Ns settledUntil() const { return settled_; }
    // Settles time until `instant` whatever may still come for it. The meter is partial from then on.
    void settleEarly(Ns instant);
    // True where some spans may be missing from the totals or counted in part: time was settled early, or spans came
    // for time that was settled.
    [[nodiscard]] bool isPartial() const { return partial_; }
    // Number of spans that are held in memory.
    [[nodiscard]] std::size_t kept() const { return items_.size(); }

    // The meter as bytes, for another process that continues it. `load` answers nullopt for bytes of another format, of
    // another length, or with a span that save() cannot have written.
    [[nodiscard]] std::string save() const;
    [[nodiscard]] static std::optional<RankMeter> load(std::string_view bytes, std::size_t mostKept = kMostKept);

private:
    // A span that is held. Kind Reduce: a collective that will never be divided.
    struct Item {
        Ns start = 0, end = 0;
        std::int64_t step = 0;
        SpanKind kind{};
        std::uint32_t samples = 0;  // number of samples of a forward pass; 0 for other kinds
    };
    struct Sets;
    // Reduces that are not divided yet, by ascending number. They come in the order of their numbers and are divided in
    // it, but for few: both ends are quick.
    class OpenReduces {
    public:
        struct Reduce {
            std::uint64_t collective = 0;
            TimeRange time;
        };
        [[nodiscard]] auto begin() const { return all_.begin(); }
        [[nodiscard]] auto end() const { return all_.end(); }
        [[nodiscard]] std::size_t size() const { return all_.size(); }
        // Null where it is not open.
        [[nodiscard]] Reduce* find(std::uint64_t collective);
        // Opens one that is not.
        void open(const Reduce& reduce);
        void close(std::uint64_t collective);
        void closeEndedBy(Ns instant);

    private:
        [[nodiscard]] std::deque<Reduce>::iterator placeOf(std::uint64_t collective);

        std::deque<Reduce> all_;
    };

    // Settles the time for which nothing can come any more, and settles early where the meter is full.
    void settle();
    // Adds the time from settled_ to `instant` to totals_ and drops the spans that ended by then.
    void settleBefore(Ns instant);
    // Latest instant up to which nothing can come any more; settled_ where there is none. Precondition: at least
    // kLeastKept spans are held.
    [[nodiscard]] Ns settleable() const;
    // Median of the ends of the spans that are held. Precondition: there is one.
    [[nodiscard]] Ns medianEnd() const;
    // Start of a step, not after `instant`, at which time can be cut without cutting a pass.
    [[nodiscard]] Ns betweenStepsBefore(Ns instant) const;
    // Number of held spans at which add() calls settle() next.
    [[nodiscard]] std::size_t nextSettling() const;
    // Totals of the held spans between two instants; measureSteps() adds those of the steps that begin there.
    [[nodiscard]] OverlapTotals measure(Ns from, Ns until) const;
    void measureSteps(const Sets& sets, Ns from, Ns until, OverlapTotals& totals) const;

    std::size_t mostKept_;
    std::vector<Item> items_;  // spans that are held, in order of arrival
    OpenReduces open_;
    OverlapTotals totals_;  // totals of the time before settled_
    Ns settled_ = std::numeric_limits<Ns>::min();
    bool partial_ = false;
    std::size_t settleAt_ = 2 * kLeastKept;  // answer of nextSettling()
};

}  // namespace dasgd
