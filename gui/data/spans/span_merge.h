// Reduces spans to what a window of a given width can show. Every span is in exactly one box: its own if it is at least
// a pixel wide, else that of its pixel, which has the mean colour of its spans. No span is lost.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/spans/overlap.h"
#include "gui/data/spans/rank_order.h"

namespace dasgd::gui {

struct TimelineRow {
    int rank = 0;  // for a group: its first rank
    Lane lane = Lane::Compute;
    int ranks = 1;   // more than 1: a group, drawn as shares
    int place = -1;  // index in the plan; −1: there is no plan, and the rank is the place
    [[nodiscard]] bool isGroup() const { return ranks > 1; }
    [[nodiscard]] int placeOf() const { return place < 0 ? rank : place; }
    bool operator==(const TimelineRow&) const = default;
};

struct TimelineBox {
    std::int32_t row = 0;     // index into TimelineFrame::rows
    std::uint32_t rgb = 0;    // 0xRRGGBB: colour of the kind, or mean by time of the merged kinds
    std::uint32_t count = 1;  // number of spans in it
    float cover = 1;          // fraction of the box that is not idle
    Span span;                // the span; for a merged box its bounds, and the kind that takes most of its time
    float base = 0;           // for a group: the box lies between the shares `base` and `base + cover` of its ranks
};

// From the launch of a reduction to the merge (or, without one, the wait) that uses it, on one rank.
struct TimelineLink {
    int rank = 0;
    Ns launch = 0;
    Ns use = 0;
};

// A range that is not timed: an evaluation, a checkpoint, and the steps that they touched. For a group: a range in
// which none of its ranks is timed.
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

// Range of places in a plan of rows, both ends included; without a plan places are ranks.
struct PlaceRange {
    int first = 0;
    int last = 1 << 30;
    [[nodiscard]] bool contains(PlaceRange other) const { return first <= other.first && last >= other.last; }
    [[nodiscard]] bool contains(int place) const { return place >= first && place <= last; }
    bool operator==(const PlaceRange&) const = default;
};

// The drawing data of one answer of the store. Immutable once made.
struct TimelineFrame {
    std::string runId;
    TimeRange range;  // requested range; boxes may extend beyond it
    double nsPerPixel = 1;
    PlaceRange places;  // places whose boxes are included
    RowPlanPtr plan;    // plan of the rows; null: each rank by its number
    std::vector<TimelineRow> rows;
    std::vector<TimelineBox> boxes;  // by row, then start
    std::vector<TimelineLink> links;
    std::vector<TimelineGap> untimed;  // by place, then start
    std::vector<StepMark> steps;       // of the first rank with a row of its own
    std::size_t spans = 0;             // number of spans in the boxes
    bool complete = true;              // false: part of the range is not read yet
};
using TimelineFramePtr = std::shared_ptr<const TimelineFrame>;

// An item of one lane: a span, or the short spans of one kind in one bucket of a level of detail.
struct TimelineItem {
    Ns start = 0;
    Ns length = 0;   // length of the span, or of the bucket
    Ns covered = 0;  // total time of the spans
    std::int64_t step = 0;
    std::uint32_t count = 1;
    SpanKind kind = SpanKind::Data;
    Lane lane = Lane::Compute;
    const Span* span = nullptr;  // null: a bucket
};
// The item points to `span`.
[[nodiscard]] inline TimelineItem itemOf(const Span& span) {
    return {.start = span.start,
            .length = span.end - span.start,
            .covered = span.end - span.start,
            .step = span.step,
            .kind = span.kind,
            .lane = span.lane,
            .span = &span};
}

// Appends the boxes of one lane. `items`: sorted by start; may overlap. A bucket longer than a pixel gets a box of its
// own.
void mergeLane(const std::vector<TimelineItem>& items, std::int32_t row, double nsPerPixel,
               std::vector<TimelineBox>& boxes);

// Appends the links of one rank. `spans`: of all its lanes, in any order. A collective without a reduce or a user gives
// none.
void linkCollectives(const std::vector<Span>& spans, int rank, std::vector<TimelineLink>& links);

// Appends the parts of `range` outside the `windows` of one row, which may be in any order. The part after the last
// window is included only if the run has ended, as it may still become a window.
void findUntimed(const std::vector<TimeRange>& windows, int place, TimeRange range, bool ended,
                 std::vector<TimelineGap>& gaps);

}  // namespace dasgd::gui
