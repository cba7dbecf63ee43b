#include "core/analysis/spans/rank_meter.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/analysis/spans/intervals.h"

namespace dasgd {

namespace {

// Format of the bytes that save() makes; the table rank_meter keeps them.
constexpr std::int64_t kFormat = 3;

// Larger numbers of samples are held as this one.
constexpr std::int64_t kMostSamples = std::numeric_limits<std::uint32_t>::max();

bool isForward(SpanKind kind) { return kind == SpanKind::Forward || kind == SpanKind::Passes; }
bool isBackward(SpanKind kind) { return kind == SpanKind::Backward || kind == SpanKind::Passes; }
bool isPass(SpanKind kind) { return isForward(kind) || isBackward(kind); }

bool isMetered(SpanKind kind) {
    return isCompute(kind) || kind == SpanKind::Wait || kind == SpanKind::Skew || kind == SpanKind::Transfer ||
           kind == SpanKind::Window;
}

// Difference that wraps around instead of overflowing: instants are whatever a journal says.
std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// True for the kinds of an Item: metered spans, and reduces that will never be divided.
bool isKept(SpanKind kind) { return isMetered(kind) || kind == SpanKind::Reduce; }

// Writes whole numbers as bytes of seven bits each, lowest first, with the sign in the lowest bit (zigzag) and the
// highest bit of a byte set where another one follows.
class Packer {
public:
    void put(std::int64_t value) {
        constexpr std::size_t kLongest = 10;
        if (bytes_.size() - used_ < kLongest) bytes_.resize(2 * bytes_.size() + 16 * kLongest);
        auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
        for (; bits >= 0x80; bits >>= 7) bytes_[used_++] = static_cast<char>(bits | 0x80);
        bytes_[used_++] = static_cast<char>(bits);
    }
    [[nodiscard]] std::string bytes() && {
        bytes_.resize(used_);
        return std::move(bytes_);
    }

private:
    std::string bytes_;  // longer than what is used, because a byte at a time is slow to append
    std::size_t used_ = 0;
};

class Unpacker {
public:
    explicit Unpacker(std::string_view bytes) : bytes_(bytes) {}
    std::int64_t get() {
        std::uint64_t bits = 0;
        for (int shift = 0; shift < 64; shift += 7) {
            if (bytes_.empty()) {
                bad_ = true;
                return 0;
            }
            const auto byte = static_cast<std::uint8_t>(bytes_.front());
            bytes_.remove_prefix(1);
            bits |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) break;
        }
        return static_cast<std::int64_t>(bits >> 1) ^ -static_cast<std::int64_t>(bits & 1);
    }
    // Reads the number of entries that follow. Where fewer bytes follow than entries, the input is bad and the answer
    // 0.
    std::size_t count() {
        const std::int64_t count = get();
        if (count >= 0 && static_cast<std::size_t>(count) <= bytes_.size()) return static_cast<std::size_t>(count);
        bad_ = true;
        return 0;
    }
    [[nodiscard]] bool good() const { return !bad_ && bytes_.empty(); }

private:
    std::string_view bytes_;
    bool bad_ = false;
};

template <class Totals, class Take>
void eachTotal(Totals& totals, Take take) {
    for (auto* value : {&totals.window, &totals.transfer, &totals.compute, &totals.hidden, &totals.blocked,
                        &totals.skew, &totals.transfers}) {
        take(*value);
    }
}

template <class Steps, class Take>
void eachOfSteps(Steps& steps, Take take) {
    for (auto* value : {&steps.beside, &steps.free, &steps.coveredTime, &steps.uncoveredTime, &steps.freeTime}) {
        take(*value);
    }
}

// Steps with the most frequent number of samples; of two numbers that are equally frequent the larger one. Null without
// steps.
const OverlapTotals::Steps* mostFrequent(const std::map<std::int64_t, OverlapTotals::Steps>& steps) {
    const OverlapTotals::Steps* most = nullptr;
    for (const auto& [samples, one] : steps) {
        if (!most || one.beside + one.free >= most->beside + most->free) most = &one;
    }
    return most;
}

}  // namespace

OverlapTotals& OverlapTotals::operator+=(const OverlapTotals& more) {
    std::vector<std::int64_t> values;
    const auto keep = [&](std::int64_t value) { values.push_back(value); };
    eachTotal(more, keep);
    for (const auto& [samples, one] : more.steps) eachOfSteps(one, keep);
    auto next = values.begin();
    const auto increase = [&](std::int64_t& value) { value += *next++; };
    eachTotal(*this, increase);
    for (const auto& [samples, one] : more.steps) eachOfSteps(steps[samples], increase);
    return *this;
}

std::optional<double> OverlapTotals::inflation() const {
    const Steps* equal = mostFrequent(steps);
    if (!equal || equal->beside < kFewestSteps || equal->free < kFewestSteps) return std::nullopt;
    const auto covered = static_cast<double>(equal->coveredTime), uncovered = static_cast<double>(equal->uncoveredTime);
    if (covered < kLeastCovered * (covered + uncovered)) return std::nullopt;
    const double freeStep = static_cast<double>(equal->freeTime) / static_cast<double>(equal->free);
    const double alone = static_cast<double>(equal->beside) * freeStep - uncovered;
    if (alone <= 0) return std::nullopt;
    return covered / alone;
}

// Unions of the held spans, clipped to the stretch that is measured; only `undivided` is not clipped.
struct RankMeter::Sets {
    Intervals windows, compute, transfer;
    Intervals inFlight;   // skew and transfer: a step is beside a collective also while that waits for other ranks
    Intervals undivided;  // reduces that are not divided yet, or never will be
};

std::deque<RankMeter::OpenReduces::Reduce>::iterator RankMeter::OpenReduces::placeOf(std::uint64_t collective) {
    if (all_.empty() || all_.front().collective >= collective) return all_.begin();
    if (all_.back().collective < collective) return all_.end();
    return std::lower_bound(all_.begin(), all_.end(), collective,
                            [](const Reduce& one, std::uint64_t number) { return one.collective < number; });
}

RankMeter::OpenReduces::Reduce* RankMeter::OpenReduces::find(std::uint64_t collective) {
    const auto place = placeOf(collective);
    return place == all_.end() || place->collective != collective ? nullptr : &*place;
}

void RankMeter::OpenReduces::open(const Reduce& reduce) { all_.insert(placeOf(reduce.collective), reduce); }

void RankMeter::OpenReduces::close(std::uint64_t collective) {
    const auto place = placeOf(collective);
    if (place != all_.end() && place->collective == collective) all_.erase(place);
}

void RankMeter::OpenReduces::closeEndedBy(Ns instant) {
    std::erase_if(all_, [&](const Reduce& open) { return open.time.end <= instant; });
}

void RankMeter::add(const Span& span) {
    if (span.kind == SpanKind::Reduce && span.collective != 0) {
        partial_ = partial_ || span.start < settled_;
        OpenReduces::Reduce* open = open_.find(span.collective);
        if (!open) {
            open_.open({span.collective, {span.start, span.end}});
            return;
        }
        // A rank that reports a collective's number again was restarted and counts from the beginning: the first reduce
        // of that number will never be divided.
        items_.push_back({.start = open->time.start, .end = open->time.end, .kind = SpanKind::Reduce});
        open->time = {span.start, span.end};
        return;
    }
    if (!isMetered(span.kind)) return;
    if (span.kind == SpanKind::Transfer && span.collective != 0) open_.close(span.collective);
    partial_ = partial_ || span.start < settled_;
    if (span.end < settled_) return;
    const auto samples = isForward(span.kind) ? std::clamp<std::int64_t>(span.bytes, 0, kMostSamples) : 0;
    items_.push_back({span.start, span.end, span.step, span.kind, static_cast<std::uint32_t>(samples)});
    if (items_.size() >= settleAt_) settle();
}

void RankMeter::giveUp(std::uint64_t collective) {
    const OpenReduces::Reduce* open = open_.find(collective);
    if (!open) return;
    items_.push_back({.start = open->time.start, .end = open->time.end, .kind = SpanKind::Reduce});
    open_.close(collective);
}

OverlapTotals RankMeter::totals() const {
    OverlapTotals all = totals_;
    all += measure(settled_, std::numeric_limits<Ns>::max());
    return all;
}

void RankMeter::settle() {
    settleBefore(settleable());
    if (items_.size() >= mostKept_) {
        settleEarly(betweenStepsBefore(medianEnd()));
        // One step has most of the spans. It is cut in two, and then counts in no inflation.
        if (items_.size() > mostKept_ * 3 / 4) settleEarly(medianEnd());
        // Spans that came for time that was settled: settleBefore() drops them only where it moves on.
        std::erase_if(items_, [&](const Item& item) { return item.end <= settled_; });
    }
    settleAt_ = nextSettling();
}

std::size_t RankMeter::nextSettling() const { return std::min(mostKept_, std::max(2 * kLeastKept, 2 * items_.size())); }

void RankMeter::settleEarly(Ns instant) {
    partial_ = true;
    settleBefore(instant);
}

void RankMeter::settleBefore(Ns instant) {
    if (instant <= settled_) return;
    totals_ += measure(settled_, instant);
    settled_ = instant;
    std::erase_if(items_, [&](const Item& item) { return item.end <= instant; });
    open_.closeEndedBy(instant);
}

Ns RankMeter::medianEnd() const {
    std::vector<Ns> ends;
    ends.reserve(items_.size());
    for (const Item& item : items_) ends.push_back(item.end);
    const auto middle = ends.begin() + static_cast<std::ptrdiff_t>(ends.size() / 2);
    std::nth_element(ends.begin(), middle, ends.end());
    return *middle;
}

Ns RankMeter::settleable() const {
    Ns until = items_[items_.size() - kLeastKept].start;
    int windows = 0;
    for (auto item = items_.rbegin(); item != items_.rend() && windows < 2; ++item) {
        if (item->kind != SpanKind::Window) continue;
        ++windows;
        until = std::min(until, item->start);
    }
    if (windows < 2) return settled_;
    // One before the start: measure() counts transfers that end after the settled instant, so a transfer of no length
    // at the start of its reduce would be lost otherwise.
    for (const auto& [collective, reduce] : open_) until = std::min(until, minus(reduce.start, 1));
    return betweenStepsBefore(until);
}

// Start of the newest step that began by `instant` and that no pass of another step overlaps. `instant` where no step
// began by then; settled_ where the newest kTries steps are all overlapped, because the search gives up then.
Ns RankMeter::betweenStepsBefore(Ns instant) const {
    constexpr int kTries = 8;
    for (int i = 0; i < kTries; ++i) {
        const Item* newest = nullptr;
        for (const Item& item : items_) {
            if (!isForward(item.kind) || item.start > instant) continue;
            if (!newest || item.step > newest->step || (item.step == newest->step && item.start < newest->start)) {
                newest = &item;
            }
        }
        if (!newest) return i == 0 ? instant : settled_;
        const bool cut = std::any_of(items_.begin(), items_.end(), [&](const Item& item) {
            return isPass(item.kind) &&
                   (item.step < newest->step ? item.end > newest->start : item.start < newest->start);
        });
        if (!cut) return newest->start;
        instant = newest->start - 1;
    }
    return settled_;
}

OverlapTotals RankMeter::measure(Ns from, Ns until) const {
    Sets sets;
    Intervals waits;
    const auto clipped = [&](const Item& item) {
        return TimeRange{std::max(item.start, from), std::min(item.end, until)};
    };
    for (const Item& item : items_) {
        if (item.kind == SpanKind::Window) sets.windows.push_back(clipped(item));
        if (item.kind == SpanKind::Transfer) sets.transfer.push_back(clipped(item));
        if (item.kind == SpanKind::Transfer || item.kind == SpanKind::Skew) sets.inFlight.push_back(clipped(item));
        if (item.kind == SpanKind::Wait) waits.push_back(clipped(item));
        if (isCompute(item.kind)) sets.compute.push_back(clipped(item));
        if (item.kind == SpanKind::Reduce) sets.undivided.push_back({item.start, item.end});
    }
    for (const auto& [collective, reduce] : open_) sets.undivided.push_back(reduce);
    OverlapTotals totals;
    sets.windows = unionOf(std::move(sets.windows));
    if (sets.windows.empty()) return totals;
    sets.transfer = unionOf(std::move(sets.transfer));
    sets.compute = unionOf(std::move(sets.compute));
    sets.inFlight = unionOf(std::move(sets.inFlight));
    sets.undivided = unionOf(std::move(sets.undivided));
    const Intervals transfer = intersectionOf(sets.transfer, sets.windows);
    totals.window = lengthOf(sets.windows);
    totals.transfer = lengthOf(transfer);
    totals.compute = lengthOfCommon(sets.compute, sets.windows);
    totals.hidden = lengthOfCommon(transfer, sets.compute);
    totals.blocked = lengthOfCommon(unionOf(std::move(waits)), sets.windows);
    for (const Item& item : items_) {
        const TimeRange part = clipped(item);
        if (item.kind == SpanKind::Skew && part.start < part.end) totals.skew += coveredOf(part, sets.windows);
        const bool ended = item.kind == SpanKind::Transfer && item.end > from && item.end <= until;
        // The last nanosecond of a transfer decides whether it ended in a window.
        if (ended && coveredOf({item.end - 1, item.end}, sets.windows) > 0) ++totals.transfers;
    }
    measureSteps(sets, from, until, totals);
    return totals;
}

void RankMeter::measureSteps(const Sets& sets, Ns from, Ns until, OverlapTotals& totals) const {
    std::vector<const Item*> passes;
    for (const Item& item : items_) {
        if (isPass(item.kind) && item.start >= from && item.start < until) passes.push_back(&item);
    }
    const auto earlier = [](const Item* a, const Item* b) {
        return std::tie(a->step, a->start) < std::tie(b->step, b->start);
    };
    if (!std::is_sorted(passes.begin(), passes.end(), earlier)) std::sort(passes.begin(), passes.end(), earlier);
    Coverage transfer(sets.transfer), undivided(sets.undivided), windows(sets.windows), inFlight(sets.inFlight);
    for (auto first = passes.begin(); first != passes.end();) {
        const auto last =
            std::find_if(first, passes.end(), [&](const Item* item) { return item->step != (*first)->step; });
        Ns total = 0;
        Ns covered = 0;
        std::int64_t samples = 0;
        bool forward = false, backward = false;
        TimeRange extent{(*first)->start, (*first)->end};
        for (; first != last; ++first) {
            const Item& item = **first;
            forward = forward || isForward(item.kind);
            backward = backward || isBackward(item.kind);
            total += item.end - item.start;
            covered += transfer.of({item.start, item.end});
            samples += item.samples;
            extent.end = std::max(extent.end, item.end);
        }
        const bool known = undivided.of(extent) == 0;
        const bool clean = windows.of(extent) == extent.end - extent.start;
        if (!forward || !backward || !known || !clean || total <= 0 || extent.end > until) continue;
        const bool beside = inFlight.of(extent) > 0;
        OverlapTotals::Steps& steps = totals.steps[samples];
        steps.beside += beside ? 1 : 0;
        steps.coveredTime += covered;
        steps.uncoveredTime += beside ? total - covered : 0;
        steps.free += beside ? 0 : 1;
        steps.freeTime += beside ? 0 : total;
    }
}

std::string RankMeter::save() const {
    Packer packer;
    const auto put = [&](std::int64_t value) { packer.put(value); };
    put(kFormat);
    put(settled_);
    put(partial_ ? 1 : 0);
    eachTotal(totals_, put);
    put(static_cast<std::int64_t>(totals_.steps.size()));
    for (const auto& [samples, steps] : totals_.steps) {
        put(samples);
        eachOfSteps(steps, put);
    }
    put(static_cast<std::int64_t>(open_.size()));
    for (const auto& [collective, reduce] : open_) {
        put(static_cast<std::int64_t>(collective));
        put(reduce.start);
        put(reduce.end);
    }
    put(static_cast<std::int64_t>(items_.size()));
    Item before;
    for (const Item& item : items_) {
        put(static_cast<std::int64_t>(item.kind));
        if (isForward(item.kind)) put(item.samples);
        put(minus(item.step, before.step));
        put(minus(item.start, before.end));
        put(minus(item.end, item.start));
        before = item;
    }
    return std::move(packer).bytes();
}

std::optional<RankMeter> RankMeter::load(std::string_view bytes, std::size_t mostKept) {
    Unpacker unpacker(bytes);
    RankMeter meter(mostKept);
    const auto take = [&](std::int64_t& value) { value = unpacker.get(); };
    if (unpacker.get() != kFormat) return std::nullopt;
    meter.settled_ = unpacker.get();
    meter.partial_ = unpacker.get() != 0;
    eachTotal(meter.totals_, take);
    for (std::size_t left = unpacker.count(); left > 0; --left) {
        const std::int64_t samples = unpacker.get();
        eachOfSteps(meter.totals_.steps[samples], take);
    }
    for (std::size_t left = unpacker.count(); left > 0; --left) {
        const auto collective = static_cast<std::uint64_t>(unpacker.get());
        const Ns start = unpacker.get(), end = unpacker.get();
        if (meter.open_.size() > 0 && std::prev(meter.open_.end())->collective >= collective) return std::nullopt;
        meter.open_.open({collective, {start, end}});
    }
    Item before;
    for (std::size_t left = unpacker.count(); left > 0; --left) {
        Item item;
        const std::int64_t kind = unpacker.get();
        if (kind < 0 || kind >= static_cast<std::int64_t>(kSpanKindNames.size())) return std::nullopt;
        item.kind = static_cast<SpanKind>(kind);
        if (!isKept(item.kind)) return std::nullopt;
        const std::int64_t samples = isForward(item.kind) ? unpacker.get() : 0;
        if (samples < 0 || samples > kMostSamples) return std::nullopt;
        item.samples = static_cast<std::uint32_t>(samples);
        item.step = plus(before.step, unpacker.get());
        item.start = plus(before.end, unpacker.get());
        item.end = plus(item.start, unpacker.get());
        meter.items_.push_back(item);
        before = item;
    }
    if (!unpacker.good()) return std::nullopt;
    meter.settleAt_ = meter.nextSettling();
    return meter;
}

}  // namespace dasgd
