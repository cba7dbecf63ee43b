// How a level is stored: numbers of variable length, each relative to the one before it, as most are small.
#include <bit>
#include <cstring>
#include <limits>

#include "storage/levels/span_level.h"

namespace dasgd::storage {

namespace {

constexpr std::size_t kMostBytesOfNumber = 10;
// No instant of a run is further from its start; what a reader forms of these overflows nowhere.
constexpr Ns kFurthest = Ns{1} << 61;

class Writer {
public:
    void number(std::uint64_t value) {
        if (room_.size() - size_ < kMostBytesOfNumber) room_.resize(2 * room_.size() + 4096);
        while (value >= 0x80) {
            room_[size_++] = static_cast<char>(value | 0x80);
            value >>= 7;
        }
        room_[size_++] = static_cast<char>(value);
    }
    void signedNumber(std::int64_t value) {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    [[nodiscard]] std::string take() {
        room_.resize(size_);
        return std::move(room_);
    }

private:
    std::string room_;
    std::size_t size_ = 0;
};

constexpr std::uint64_t kMostRank = (1 << 20) - 1;  // as in a journal

class Reader {
public:
    explicit Reader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
    std::uint64_t number() {
        std::uint64_t value = 0;
        for (int shift = 0; at_ != end_ && shift < 64; shift += 7) {
            const auto byte = static_cast<unsigned char>(*at_++);
            value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        broken_ = true;
        return 0;
    }
    std::int64_t signedNumber() {
        const std::uint64_t value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (~(value & 1) + 1));
    }
    std::uint64_t numberUpTo(std::uint64_t most) {
        const std::uint64_t value = number();
        if (value > most) broken_ = true;
        return broken_ ? 0 : value;
    }
    // How many of something follow, each of at least one byte.
    std::size_t count() {
        const std::uint64_t value = number();
        if (value > static_cast<std::uint64_t>(end_ - at_)) broken_ = true;
        return broken_ ? 0 : value;
    }
    // A number that is relative to `before`.
    std::int64_t after(std::int64_t before) {
        const auto sum = static_cast<std::uint64_t>(before) + static_cast<std::uint64_t>(signedNumber());
        return static_cast<std::int64_t>(sum);
    }
    Ns instantAfter(Ns before) {
        const Ns instant = after(before);
        if (instant < -kFurthest || instant > kFurthest) broken_ = true;
        return broken_ ? 0 : instant;
    }
    void reject() { broken_ = true; }
    SpanKind kind(std::uint64_t value) {
        if (value >= kSpanKindNames.size()) broken_ = true;
        return broken_ ? SpanKind::Data : static_cast<SpanKind>(value);
    }
    [[nodiscard]] bool broken() const { return broken_; }
    [[nodiscard]] bool atEnd() const { return at_ == end_; }

private:
    const char* at_;
    const char* end_;
    bool broken_ = false;
};

void writeSpans(Writer& to, std::span<const Span> spans, Ns origin) {
    to.number(spans.size());
    Span before{.start = origin};
    for (const Span& span : spans) {
        to.number(static_cast<std::uint64_t>(span.kind));
        to.signedNumber(span.start - before.start);
        to.signedNumber(span.end - span.start);
        to.signedNumber(span.step - before.step);
        to.signedNumber(span.bytes);
        to.number(span.collective);
        before = span;
    }
}

void readSpans(Reader& from, Lane lane, SpanLevel& level) {
    Span before{.start = level.origin};
    for (std::size_t left = from.count(); left > 0 && !from.broken(); --left) {
        Span span{.lane = lane, .kind = from.kind(from.number())};
        span.start = from.instantAfter(before.start);
        span.end = from.instantAfter(span.start);
        span.step = from.after(before.step);
        span.bytes = from.signedNumber();
        span.collective = from.number();
        level.spans.push_back(span);
        before = span;
    }
}

// The kinds of one bucket share its number and step, as their bits.
void writeCells(Writer& to, std::span<const LevelCell> cells) {
    to.number(cells.size());
    std::uint32_t bucket = 0, step = 0;
    for (std::size_t i = 0; i < cells.size();) {
        std::size_t end = i;
        std::uint64_t kinds = 0;
        std::uint32_t last = 0;
        for (; end < cells.size() && cells[end].bucket == cells[i].bucket; ++end) {
            kinds |= std::uint64_t{1} << static_cast<unsigned>(cells[end].kind);
            last = std::max(last, cells[end].step);
        }
        to.number(cells[i].bucket - bucket);
        to.signedNumber(static_cast<std::int64_t>(last) - step);
        to.number(kinds);
        bucket = cells[i].bucket;
        step = last;
        for (; i < end; ++i) {
            to.number(cells[i].count);
            to.number(static_cast<std::uint64_t>(cells[i].covered));
        }
    }
}

void readCells(Reader& from, SpanLevel& level) {
    std::uint32_t bucket = 0, step = 0;
    bool first = true;
    for (std::size_t left = from.count(); left > 0 && !from.broken();) {
        const std::uint64_t next = from.number();
        const bool grows = next <= std::numeric_limits<std::uint32_t>::max() - bucket && (next > 0 || first);
        if (!grows) return from.reject();
        first = false;
        bucket += static_cast<std::uint32_t>(next);
        step = static_cast<std::uint32_t>(from.after(step));
        std::uint64_t kinds = from.number();
        const bool inside = level.shift >= 0 && static_cast<Ns>(bucket) <= kFurthest >> level.shift;
        if (!inside || kinds == 0 || kinds >> kSpanKindNames.size() != 0) return from.reject();
        for (; kinds != 0 && left > 0; kinds &= kinds - 1, --left) {
            LevelCell cell{.bucket = bucket, .step = step, .kind = static_cast<SpanKind>(std::countr_zero(kinds))};
            cell.count = static_cast<std::uint32_t>(from.numberUpTo(std::numeric_limits<std::uint32_t>::max()));
            cell.covered = static_cast<Ns>(from.numberUpTo(kFurthest));
            level.cells.push_back(cell);
        }
    }
}

}  // namespace

std::string encode(const SpanLevel& level) {
    Writer to;
    to.signedNumber(level.shift);
    to.signedNumber(level.origin);
    to.number(level.lanes.size());
    to.number(level.spans.size());
    to.number(level.cells.size());
    int rank = 0;
    std::size_t span = 0, cell = 0;
    for (const LevelLane& lane : level.lanes) {
        to.number(static_cast<std::uint64_t>(lane.rank - rank) * 4 + static_cast<std::uint64_t>(lane.lane));
        rank = lane.rank;
        writeSpans(to, std::span(level.spans).subspan(span, lane.spansEnd - span), level.origin);
        writeCells(to, std::span(level.cells).subspan(cell, lane.cellsEnd - cell));
        span = lane.spansEnd;
        cell = lane.cellsEnd;
    }
    return to.take();
}

Result<SpanLevel> decode(std::string_view bytes) {
    Reader from(bytes);
    SpanLevel level;
    const std::int64_t shift = from.signedNumber();
    level.origin = from.instantAfter(0);
    const std::size_t lanes = from.count();
    const std::size_t spans = from.count(), cells = from.count();
    if (from.broken() || shift < SpanLevel::kExact || shift > 61) return fail("a level of detail is damaged");
    level.shift = static_cast<int>(shift);
    level.lanes.reserve(lanes);
    level.spans.reserve(spans);
    level.cells.reserve(cells);
    std::uint64_t rank = 0;
    for (std::size_t i = 0; i < lanes && !from.broken(); ++i) {
        const std::uint64_t key = from.number();
        rank += key / 4;
        const auto lane = static_cast<Lane>(key % 4);
        if (key % 4 >= kLaneNames.size() || rank > kMostRank) from.reject();
        readSpans(from, lane, level);
        readCells(from, level);
        level.lanes.push_back({.rank = static_cast<int>(rank),
                               .lane = lane,
                               .spansEnd = static_cast<std::uint32_t>(level.spans.size()),
                               .cellsEnd = static_cast<std::uint32_t>(level.cells.size())});
    }
    const bool whole = from.atEnd() && level.spans.size() == spans && level.cells.size() == cells;
    if (from.broken() || !whole) return fail("a level of detail is damaged");
    return level;
}

}  // namespace dasgd::storage
