// From spans to what a window of so many pixels can show. Every span is in exactly one box: its own where it is a pixel
// wide or more, else the box of its pixel, which has the mean colour of all that is in it. Nothing vanishes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/analysis/overlap.h"
#include "storage/run_reader.h"

namespace dasgd::gui {

struct TimelineRow {
    int rank = 0;
    Lane lane = Lane::Compute;
    bool operator==(const TimelineRow&) const = default;
};

struct TimelineBox {
    std::int32_t row = 0;     // index into TimelineFrame::rows
    std::uint32_t rgb = 0;    // 0xRRGGBB: of the kind, or the mean by time of the merged
    std::uint32_t count = 1;  // spans in it
    float cover = 1;          // part of the box that is not idle
    Span span;                // the span itself; of a merged box its bounds, and the kind that takes most of its time
};

// From a reduction's launch to the merge (or, where none is, the wait) that uses it, on one rank.
struct TimelineLink {
    int rank = 0;
    Ns launch = 0;
    Ns use = 0;
};

// Where nothing counts for the numbers of a rank: an evaluation, a checkpoint, and the steps that they touched.
struct TimelineGap {
    int rank = 0;
    TimeRange range;
};

// What one answer of the store draws. Immutable once made.
struct TimelineFrame {
    std::string runId;
    TimeRange range;  // what was asked for; boxes may stick out
    double nsPerPixel = 1;
    std::vector<TimelineRow> rows;
    std::vector<TimelineBox> boxes;  // by row, then start
    std::vector<TimelineLink> links;
    std::vector<TimelineGap> untimed;  // by rank, then start
    std::size_t spans = 0;             // in the boxes
    bool complete = true;              // false: more of the range is still being read
};
using TimelineFramePtr = std::shared_ptr<const TimelineFrame>;

// Appends the boxes of one lane. `spans` sorted by start; they may overlap.
void mergeLane(const std::vector<Span>& spans, std::int32_t row, double nsPerPixel, std::vector<TimelineBox>& boxes);

// Links of one rank, from the spans of all its lanes in any order. A collective without a reduce or without a user
// gives none.
void linkCollectives(const std::vector<Span>& spans, int rank, std::vector<TimelineLink>& links);

// The parts of `range` outside the windows among `spans`, which are one rank's in any order. What follows the last
// window is told only of a run that has ended: of a live one it may be a window yet.
void findUntimed(const std::vector<Span>& spans, int rank, TimeRange range, bool ended, std::vector<TimelineGap>& gaps);

}  // namespace dasgd::gui
