#include "core/analysis/rank_meter.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/analysis/intervals.h"

namespace dasgd {

namespace {

constexpr std::int64_t kFormat = 2;

bool isForward(SpanKind kind) { return kind == SpanKind::Forward || kind == SpanKind::Passes; }
bool isBackward(SpanKind kind) { return kind == SpanKind::Backward || kind == SpanKind::Passes; }
bool isPass(SpanKind kind) { return isForward(kind) || isBackward(kind); }

bool isMetered(SpanKind kind) {
    return isCompute(kind) || kind == SpanKind::Wait || kind == SpanKind::Skew || kind == SpanKind::Transfer ||
           kind == SpanKind::Window;
}

// Differences that wrap around instead of overflowing: instants are whatever a journal says.
std::int64_t minus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
std::int64_t plus(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

// Whole numbers, seven bits a byte, the sign in the lowest bit.
class Packer {
public:
    void put(std::int64_t value) {
        auto bits = (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
        for (; bits >= 0x80; bits >>= 7) bytes_ += static_cast<char>(bits | 0x80);
        bytes_ += static_cast<char>(bits);
    }
    [[nodiscard]] std::string bytes() && { return std::move(bytes_); }

private:
    std::string bytes_;
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
    // How many entries follow; none where there cannot be so many.
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

// In the order of their declaration.
template <class Totals, class Take>
void eachTotal(Totals& totals, Take take) {
    for (auto* value : {&totals.window, &totals.transfer, &totals.compute, &totals.hidden, &totals.blocked,
                        &totals.skew, &totals.transfers, &totals.besideSteps, &totals.freeSteps, &totals.coveredTime,
                        &totals.uncoveredTime, &totals.freeTime}) {
        take(*value);
    }
}

}  // namespace

OverlapTotals& OverlapTotals::operator+=(const OverlapTotals& more) {
    std::vector<std::int64_t> values;
    eachTotal(more, [&](std::int64_t value) { values.push_back(value); });
    auto next = values.begin();
    eachTotal(*this, [&](std::int64_t& value) { value += *next++; });
    return *this;
}

std::optional<double> OverlapTotals::inflation() const {
    if (besideSteps < kFewestSteps || freeSteps < kFewestSteps) return std::nullopt;
    const auto covered = static_cast<double>(coveredTime), uncovered = static_cast<double>(uncoveredTime);
    if (covered < kLeastCovered * (covered + uncovered)) return std::nullopt;
    const double freeStep = static_cast<double>(freeTime) / static_cast<double>(freeSteps);
    const double alone = static_cast<double>(besideSteps) * freeStep - uncovered;
    if (alone <= 0) return std::nullopt;
    return covered / alone;
}

// What [from, until) is made of.
struct RankMeter::Sets {
    Intervals windows, compute, transfer;
    Intervals inFlight;  // skew too: a collective that was launched before a step, whoever it waits for
};

void RankMeter::add(const Span& span) {
    if (span.kind == SpanKind::Reduce && span.collective != 0) {
        open_.push_back({span.collective, span.start, span.end});
        return;
    }
    if (!isMetered(span.kind)) return;
    if (span.kind == SpanKind::Transfer && span.collective != 0) close(span.collective);
    if (span.end < settled_) return;
    items_.push_back({span.start, span.end, span.step, span.kind});
    if (items_.size() >= settleAt_) settle();
}

void RankMeter::close(std::uint64_t collective) {
    std::erase_if(open_, [&](const Open& open) { return open.collective == collective; });
}

OverlapTotals RankMeter::totals() const {
    OverlapTotals all = totals_;
    all += measure(settled_, std::numeric_limits<Ns>::max());
    return all;
}

void RankMeter::settle() {
    const Ns until = settleable();
    if (until > settled_) forgetBefore(until);
    // Thousands of spans of one step: it is cut in two, and its inflation is lost.
    if (items_.size() >= kMostKept) {
        forgetBefore(medianEnd());
        std::erase_if(items_, [&](const Item& item) { return item.end <= settled_; });
    }
    settleAt_ = std::min(kMostKept, std::max(2 * kLeastKept, 2 * items_.size()));
}

void RankMeter::forgetBefore(Ns instant) {
    if (instant <= settled_) return;
    totals_ += measure(settled_, instant);
    settled_ = instant;
    std::erase_if(items_, [&](const Item& item) { return item.end <= instant; });
    std::erase_if(open_, [&](const Open& open) { return open.end <= instant; });
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
    if (items_.size() >= kMostKept) return startOfStepBefore(items_[items_.size() / 2].start);
    Ns until = items_[items_.size() - kLeastKept].start;
    int windows = 0;
    for (auto item = items_.rbegin(); item != items_.rend() && windows < 2; ++item) {
        if (item->kind != SpanKind::Window) continue;
        ++windows;
        until = std::min(until, item->start);
    }
    if (windows < 2) return settled_;
    for (const Open& open : open_) until = std::min(until, open.start);
    return startOfStepBefore(until);
}

// Of the newest step whose forward pass began by `instant`, so that no step is cut in two.
Ns RankMeter::startOfStepBefore(Ns instant) const {
    const Item* newest = nullptr;
    for (const Item& item : items_) {
        if (!isForward(item.kind) || item.start > instant) continue;
        if (!newest || item.step > newest->step || (item.step == newest->step && item.start < newest->start)) {
            newest = &item;
        }
    }
    return newest ? newest->start : instant;
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
    }
    OverlapTotals totals;
    sets.windows = unionOf(std::move(sets.windows));
    if (sets.windows.empty()) return totals;
    sets.transfer = unionOf(std::move(sets.transfer));
    sets.compute = unionOf(std::move(sets.compute));
    sets.inFlight = unionOf(std::move(sets.inFlight));
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
    for (auto first = passes.begin(); first != passes.end();) {
        const auto last =
            std::find_if(first, passes.end(), [&](const Item* item) { return item->step != (*first)->step; });
        Ns total = 0;
        Ns covered = 0;
        bool forward = false, backward = false;
        TimeRange extent{(*first)->start, (*first)->end};
        for (; first != last; ++first) {
            const Item& item = **first;
            forward = forward || isForward(item.kind);
            backward = backward || isBackward(item.kind);
            total += item.end - item.start;
            covered += coveredOf({item.start, item.end}, sets.transfer);
            extent.end = std::max(extent.end, item.end);
        }
        const bool known = std::none_of(open_.begin(), open_.end(), [&](const Open& open) {
            return open.start < extent.end && open.end > extent.start;
        });
        const bool clean = coveredOf(extent, sets.windows) == extent.end - extent.start;
        if (!forward || !backward || !known || !clean || total <= 0 || extent.end > until) continue;
        const bool beside = coveredOf(extent, sets.inFlight) > 0;
        totals.besideSteps += beside ? 1 : 0;
        totals.coveredTime += covered;
        totals.uncoveredTime += beside ? total - covered : 0;
        totals.freeSteps += beside ? 0 : 1;
        totals.freeTime += beside ? 0 : total;
    }
}

std::string RankMeter::save() const {
    Packer packer;
    packer.put(kFormat);
    packer.put(settled_);
    eachTotal(totals_, [&](std::int64_t value) { packer.put(value); });
    packer.put(static_cast<std::int64_t>(open_.size()));
    for (const Open& open : open_) {
        packer.put(static_cast<std::int64_t>(open.collective));
        packer.put(open.start);
        packer.put(open.end);
    }
    packer.put(static_cast<std::int64_t>(items_.size()));
    Item before;
    for (const Item& item : items_) {
        packer.put(static_cast<std::int64_t>(item.kind));
        packer.put(minus(item.step, before.step));
        packer.put(minus(item.start, before.end));
        packer.put(minus(item.end, item.start));
        before = item;
    }
    return std::move(packer).bytes();
}

std::optional<RankMeter> RankMeter::load(std::string_view bytes) {
    Unpacker unpacker(bytes);
    RankMeter meter;
    if (unpacker.get() != kFormat) return std::nullopt;
    meter.settled_ = unpacker.get();
    eachTotal(meter.totals_, [&](std::int64_t& value) { value = unpacker.get(); });
    for (std::size_t left = unpacker.count(); left > 0; --left) {
        Open open;
        open.collective = static_cast<std::uint64_t>(unpacker.get());
        open.start = unpacker.get();
        open.end = unpacker.get();
        meter.open_.push_back(open);
    }
    Item before;
    for (std::size_t left = unpacker.count(); left > 0; --left) {
        Item item;
        item.kind = static_cast<SpanKind>(unpacker.get());
        item.step = plus(before.step, unpacker.get());
        item.start = plus(before.end, unpacker.get());
        item.end = plus(item.start, unpacker.get());
        meter.items_.push_back(item);
        before = item;
    }
    if (!unpacker.good()) return std::nullopt;
    meter.settleAt_ = std::min(kMostKept, std::max(2 * kLeastKept, 2 * meter.items_.size()));
    return meter;
}

}  // namespace dasgd
