#include "storage/levels/span_level.h"

#include <algorithm>
#include <array>
#include <bit>

namespace dasgd::storage {

namespace {

constexpr std::size_t kKinds = kSpanKindNames.size();
constexpr int kWidestShift = 61;
constexpr std::uint64_t kMostBuckets = std::uint64_t{1} << 32;

}  // namespace

void LevelBuilder::add(const SpanLevel& finer) {
    std::size_t span = 0, cell = 0;
    for (const LevelLane& lane : finer.lanes) {
        for (; span < lane.spansEnd; ++span) add(lane.rank, finer.spans[span]);
        for (; cell < lane.cellsEnd; ++cell) {
            const LevelCell& one = finer.cells[cell];
            const Ns start = finer.startOf(one);
            items_.push_back({.start = start,
                              .length = one.covered,
                              .lane = laneKey(lane.rank, lane.lane),
                              .count = one.count,
                              .step = one.step,
                              .kept = kCell,
                              .kind = one.kind});
            range_.start = std::min(range_.start, start);
            range_.end = std::max(range_.end, start + finer.width());
        }
    }
    finestShift_ = std::max(finestShift_, finer.shift);
}

// Counting sort: records of a rank come in a row or in turns, and either way nearly in the order of their starts.
void LevelBuilder::sortByLane() {
    std::uint32_t most = 0;
    for (const Item& item : items_) most = std::max(most, item.lane);
    std::vector<std::uint32_t> places(std::size_t{most} + 2);
    for (const Item& item : items_) ++places[item.lane + 1];
    for (std::size_t i = 1; i < places.size(); ++i) places[i] += places[i - 1];
    std::vector<std::uint32_t> ends(places.begin() + 1, places.end());
    std::vector<Item> sorted(items_.size());
    for (const Item& item : items_) sorted[places[item.lane]++] = item;
    items_ = std::move(sorted);
    const auto byStart = [](const Item& a, const Item& b) { return a.start < b.start; };
    std::size_t begin = 0;
    for (const std::uint32_t end : ends) {
        const auto first = items_.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = items_.begin() + static_cast<std::ptrdiff_t>(end);
        if (!std::is_sorted(first, last, byStart)) std::stable_sort(first, last, byStart);
        begin = end;
    }
}

// No bucket shorter than all but a sixteenth of the spans: the others would be kept one by one.
int LevelBuilder::firstShift() const {
    std::array<std::size_t, 65> lengths{};
    std::size_t spans = 0;
    for (const Item& item : items_) {
        if (item.kept == kCell) continue;
        ++lengths[static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(std::max<Ns>(0, item.length))))];
        ++spans;
    }
    std::size_t longer = 0;
    int shift = 64;
    while (shift > 0 && longer + lengths[static_cast<std::size_t>(shift)] <= spans / 16) {
        longer += lengths[static_cast<std::size_t>(shift--)];
    }
    shift = std::max(shift, finestShift_);
    const auto reach = static_cast<std::uint64_t>(range_.end - range_.start);
    while (reach >> shift >= kMostBuckets - 2) ++shift;
    return std::min(shift, kWidestShift);
}

std::size_t LevelBuilder::entriesAt(int shift) const {
    std::size_t entries = 0;
    std::uint32_t lane = kCell;
    Ns bucket = 0;
    for (const Item& item : items_) {
        if (isLong(item, shift)) {
            ++entries;
            continue;
        }
        const Ns own = item.start >> shift;
        entries += static_cast<std::size_t>(own != bucket || item.lane != lane);
        bucket = own;
        lane = item.lane;
    }
    return entries;
}

SpanLevel LevelBuilder::build(std::size_t entries) {
    if (items_.empty()) return {};
    sortByLane();
    int shift = firstShift();
    for (entries_ = entriesAt(shift); entries_ > entries && shift < kWidestShift; entries_ = entriesAt(shift)) {
        // Half as many buckets with each bit, where they are all full.
        const int more = std::bit_width(entries_ / std::max<std::size_t>(1, entries)) - 1;
        shift = std::min(kWidestShift, shift + std::max(1, more));
    }
    SpanLevel level{.shift = shift, .origin = range_.start >> shift << shift};
    for (std::size_t begin = 0; begin < items_.size();) {
        std::size_t end = begin;
        while (end < items_.size() && items_[end].lane == items_[begin].lane) ++end;
        buildLane(std::span(items_).subspan(begin, end - begin), level);
        begin = end;
    }
    return level;
}

void LevelBuilder::buildLane(std::span<const Item> items, SpanLevel& level) {
    std::array<LevelCell, kKinds> cells{};
    std::uint32_t present = 0;
    std::uint32_t bucket = 0;
    std::uint32_t step = 0;
    const auto flush = [&] {
        for (std::uint32_t rest = present; rest != 0; rest &= rest - 1) {
            LevelCell& cell = cells[static_cast<std::size_t>(std::countr_zero(rest))];
            cell.step = step;
            level.cells.push_back(cell);
            cell = {};
        }
        present = 0;
        step = 0;
    };
    for (const Item& item : items) {
        if (isLong(item, level.shift)) {
            level.spans.push_back(spans_[item.kept]);
            continue;
        }
        const auto own = static_cast<std::uint32_t>((item.start - level.origin) >> level.shift);
        if (own != bucket) flush();
        bucket = own;
        const auto kind = static_cast<std::size_t>(item.kind);
        LevelCell& cell = cells[kind];
        cell.kind = item.kind;
        cell.bucket = own;
        cell.covered += item.length;
        cell.count += item.count;
        step = std::max(step, item.step);
        present |= 1U << kind;
    }
    flush();
    level.lanes.push_back({.rank = static_cast<int>(items.front().lane / 4),
                           .lane = static_cast<Lane>(items.front().lane % 4),
                           .spansEnd = static_cast<std::uint32_t>(level.spans.size()),
                           .cellsEnd = static_cast<std::uint32_t>(level.cells.size())});
}

SpanLevel LevelBuilder::exact() {
    SpanLevel level;
    if (items_.empty()) return level;
    sortByLane();
    level.spans.reserve(items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
        level.spans.push_back(spans_[items_[i].kept]);
        if (i + 1 < items_.size() && items_[i + 1].lane == items_[i].lane) continue;
        level.lanes.push_back({.rank = static_cast<int>(items_[i].lane / 4),
                               .lane = static_cast<Lane>(items_[i].lane % 4),
                               .spansEnd = static_cast<std::uint32_t>(level.spans.size())});
    }
    return level;
}

}  // namespace dasgd::storage
