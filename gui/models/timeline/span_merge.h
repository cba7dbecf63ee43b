// From spans to what a window of so many pixels can show. Every span is in exactly one box: its own where it is a pixel
// wide or more, else the box of its pixel, which has the mean colour of all that is in it. Nothing vanishes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/overlap.h"
#include "gui/models/timeline/rank_order.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

struct TimelineRow {
    int rank = 0;  // of a group: its first
    Lane lane = Lane::Compute;
    int ranks = 1;   // more: a group, drawn as shares of them
    int place = -1;  // in the plan; −1: there is none, and the place is the rank
    [[nodiscard]] bool isGroup() const { return ranks > 1; }
    [[nodiscard]] int placeOf() const { return place < 0 ? rank : place; }
    bool operator==(const TimelineRow&) const = default;
};

struct TimelineBox {
    std::int32_t row = 0;     // index into TimelineFrame::rows
    std::uint32_t rgb = 0;    // 0xRRGGBB: of the kind, or the mean by time of the merged
    std::uint32_t count = 1;  // spans in it
    float cover = 1;          // part of the box that is not idle
    Span span;                // the span itself; of a merged box its bounds, and the kind that takes most of its time
    float base = 0;           // of a group: the box lies between the shares `base` and `base + cover` of its ranks
};

// From a reduction's launch to the merge (or, where none is, the wait) that uses it, on one rank.
struct TimelineLink {
    int rank = 0;
    Ns launch = 0;
    Ns use = 0;
};

// Where nothing counts for the numbers of a rank: an evaluation, a checkpoint, and the steps that they touched. Of a
// group: where nothing counts of any of its ranks.
struct TimelineGap {
    int place = 0;
    TimeRange range;
};

// The beginning of a step.
struct StepMark {
    std::int64_t step = 0;
    Ns start = 0;
    bool operator==(const StepMark&) const = default;
};

// Places in a plan of rows, which are ranks where there is none; both included.
struct PlaceRange {
    int first = 0;
    int last = 1 << 30;
    [[nodiscard]] bool contains(PlaceRange other) const { return first <= other.first && last >= other.last; }
    [[nodiscard]] bool contains(int place) const { return place >= first && place <= last; }
    bool operator==(const PlaceRange&) const = default;
};

// What one answer of the store draws. Immutable once made.
struct TimelineFrame {
    std::string runId;
    TimeRange range;  // what was asked for; boxes may stick out
    double nsPerPixel = 1;
    PlaceRange places;  // whose boxes are here
    RowPlanPtr plan;    // of the rows; null: each rank by its number
    std::vector<TimelineRow> rows;
    std::vector<TimelineBox> boxes;  // by row, then start
    std::vector<TimelineLink> links;
    std::vector<TimelineGap> untimed;  // by place, then start
    std::vector<StepMark> steps;       // of the first rank that has a row of its own
    std::size_t spans = 0;             // in the boxes
    bool complete = true;              // false: more of the range is still being read
};
using TimelineFramePtr = std::shared_ptr<const TimelineFrame>;

// What there is to draw in one lane: a span, or the short spans of one kind in one bucket of a level of detail.
struct TimelineItem {
    Ns start = 0;
    Ns length = 0;   // of the span, or of the bucket
    Ns covered = 0;  // time of the spans
    std::int64_t step = 0;
    std::uint32_t count = 1;
    SpanKind kind = SpanKind::Data;
    Lane lane = Lane::Compute;
    const Span* span = nullptr;  // null: of a bucket
};
// Refers to `span`.
[[nodiscard]] inline TimelineItem itemOf(const Span& span) {
    return {.start = span.start,
            .length = span.end - span.start,
            .covered = span.end - span.start,
            .step = span.step,
            .kind = span.kind,
            .lane = span.lane,
            .span = &span};
}

// Appends the boxes of one lane. `items` sorted by start; they may overlap. A bucket that is longer than a pixel has a
// box of its own.
void mergeLane(const std::vector<TimelineItem>& items, std::int32_t row, double nsPerPixel,
               std::vector<TimelineBox>& boxes);

// Links of one rank, from the spans of all its lanes in any order. A collective without a reduce or without a user
// gives none.
void linkCollectives(const std::vector<Span>& spans, int rank, std::vector<TimelineLink>& links);

// The parts of `range` outside one row's `windows`, which come in any order. What follows the last window is told only
// of a run that has ended: of a live one it may be a window yet.
void findUntimed(const std::vector<TimeRange>& windows, int place, TimeRange range, bool ended,
                 std::vector<TimelineGap>& gaps);

}  // namespace dasgd::gui
