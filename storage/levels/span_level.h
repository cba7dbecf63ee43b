// A level of detail over some spans of a run: what there is to see where a pixel is as long as a bucket. Spans as long
// as a bucket or longer are kept as they are; shorter ones are summed up by rank, lane and kind in the bucket that they
// start in. Nothing is lost: the counts and the times of a level add up to those of its spans. Pure; no database.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/spans/timings.h"
#include "core/base/result.h"
#include "core/base/time_range.h"

namespace dasgd::storage {

// The short spans of one kind, of one rank and lane, that start in one bucket.
struct LevelCell {
    Ns covered = 0;            // sum of their lengths; they may overlap, and stick out of the bucket by less than it
    std::uint32_t bucket = 0;  // from SpanLevel::origin
    std::uint32_t count = 0;
    std::uint32_t step = 0;  // the newest of the bucket, modulo 2³²
    SpanKind kind = SpanKind::Data;
};

// The spans and cells of one rank and lane. They begin where those of the preceding lane end.
struct LevelLane {
    int rank = 0;
    Lane lane = Lane::Compute;
    std::uint32_t spansEnd = 0, cellsEnd = 0;
};

struct SpanLevel {
    static constexpr int kExact = -1;
    int shift = kExact;  // a bucket is 2^shift nanoseconds long; kExact: there are no buckets, every span is kept
    Ns origin = 0;       // start of bucket 0, a multiple of the width
    std::vector<LevelLane> lanes;  // by rank, then lane
    std::vector<Span> spans;       // by lane, then start
    std::vector<LevelCell> cells;  // by lane, then bucket and kind

    [[nodiscard]] Ns width() const { return shift < 0 ? 0 : Ns{1} << shift; }
    [[nodiscard]] Ns startOf(const LevelCell& cell) const {
        return origin + (static_cast<Ns>(cell.bucket) << std::max(shift, 0));
    }
    [[nodiscard]] std::size_t bytes() const {
        return lanes.capacity() * sizeof(LevelLane) + spans.capacity() * sizeof(Span) +
               cells.capacity() * sizeof(LevelCell);
    }
};

// Makes a level of spans, or of finer levels. Use once.
class LevelBuilder {
public:
    void reserve(std::size_t spans) {
        items_.reserve(spans);
        spans_.reserve(spans);
    }
    void add(int rank, const Span& span) {
        const Ns length = span.end - span.start;
        items_.push_back({.start = span.start,
                          .length = length,
                          .lane = laneKey(rank, span.lane),
                          .count = 1,
                          .step = static_cast<std::uint32_t>(span.step),
                          .kept = keep(span),
                          .kind = span.kind});
        range_.start = std::min(range_.start, span.start);
        range_.end = std::max(range_.end, span.end);
    }
    void add(const SpanLevel& finer);

    // From the first start to the last end of what was added; of finer levels to the end of their buckets.
    [[nodiscard]] TimeRange range() const { return range_; }
    // The finest level of at most `entries` kept spans and buckets of one rank and lane, or of one bucket a lane.
    [[nodiscard]] SpanLevel build(std::size_t entries);
    // All spans as they are; only where no finer level was added.
    [[nodiscard]] SpanLevel exact();
    // Kept spans and buckets of what build() made.
    [[nodiscard]] std::size_t entries() const { return entries_; }

private:
    struct Item {
        Ns start = 0;
        Ns length = 0;  // of a span; of a cell what it covers
        std::uint32_t lane = 0;
        std::uint32_t count = 0;
        std::uint32_t step = 0;
        std::uint32_t kept = 0;  // index into spans_; kCell: a cell of a finer level
        SpanKind kind = SpanKind::Data;
    };
    static constexpr std::uint32_t kCell = 0xffff'ffff;
    static std::uint32_t laneKey(int rank, Lane lane) {
        return static_cast<std::uint32_t>(rank) * 4 + static_cast<std::uint32_t>(lane);
    }
    std::uint32_t keep(const Span& span) {
        spans_.push_back(span);
        return static_cast<std::uint32_t>(spans_.size() - 1);
    }
    static bool isLong(const Item& item, int shift) { return item.kept != kCell && item.length >> shift != 0; }

    void sortByLane();
    [[nodiscard]] int firstShift() const;
    [[nodiscard]] std::size_t entriesAt(int shift) const;
    void buildLane(std::span<const Item> items, SpanLevel& level);

    std::vector<Item> items_;
    std::vector<Span> spans_;
    TimeRange range_{INT64_MAX, INT64_MIN};
    int finestShift_ = 0;  // coarsest shift of the finer levels
    std::size_t entries_ = 0;
};

// The stored form of a level (storage/format.md).
[[nodiscard]] std::string encode(const SpanLevel& level);
// Errors: not what encode() writes.
[[nodiscard]] Result<SpanLevel> decode(std::string_view bytes);

}  // namespace dasgd::storage
