#include "gui/data/spans/span_gather.h"

namespace dasgd::gui {

SpanGather::SpanGather(const RowPlan& plan, const TimelineView& view) : rows(plan.size()), plan_(plan), view_(view) {
    for (std::size_t place = 0; place < plan.size(); ++place) {
        const int number = static_cast<int>(place);
        if (!view.places.contains(number)) continue;
        for (const int rank : plan[place].ranks) {
            if (places_.size() <= static_cast<std::size_t>(rank)) places_.resize(static_cast<std::size_t>(rank) + 1);
            Places& places = places_[static_cast<std::size_t>(rank)];
            (plan[place].isGroup() ? places.group : places.alone) = number;
        }
    }
}

void SpanGather::add(const storage::SpanLevel& level) {
    std::size_t span = 0, cell = 0;
    for (const storage::LevelLane& lane : level.lanes) {
        const auto rank = static_cast<std::size_t>(lane.rank);
        if (rank < places_.size() && (places_[rank].alone >= 0 || places_[rank].group >= 0)) {
            addLane(level, lane, span, cell);
        }
        span = lane.spansEnd;
        cell = lane.cellsEnd;
    }
}

void SpanGather::addLane(const storage::SpanLevel& level, const storage::LevelLane& lane, std::size_t span,
                         std::size_t cell) {
    const Places places = places_[static_cast<std::size_t>(lane.rank)];
    for (; span < lane.spansEnd; ++span) {
        const Span& one = level.spans[span];
        if (!touches({one.start, one.end}, view_.range)) continue;
        if (one.kind == SpanKind::Window) {
            addTimed(places, {one.start, one.end});
        } else {
            addItem(places, lane.lane, itemOf(one));
        }
    }
    const Ns width = level.width();
    for (; cell < lane.cellsEnd; ++cell) {
        const storage::LevelCell& one = level.cells[cell];
        const Ns start = level.startOf(one);
        // The spans of a cell start in its bucket and end less than a bucket after it.
        if (!touches({start, start + 2 * width}, view_.range)) continue;
        if (one.kind == SpanKind::Window) {
            // Rounded to whole buckets: one that is timed by less than half is drawn as untimed.
            if (2 * one.covered >= width) addTimed(places, {start, start + width});
        } else {
            addItem(places, lane.lane,
                    {.start = start,
                     .length = width,
                     .covered = one.covered,
                     .step = one.step,
                     .count = one.count,
                     .kind = one.kind,
                     .lane = lane.lane});
        }
    }
}

void SpanGather::addItem(Places places, Lane lane, const TimelineItem& item) {
    const auto index = static_cast<std::size_t>(lane);
    if (places.alone >= 0) rows[static_cast<std::size_t>(places.alone)].items[index].push_back(item);
    if (places.group < 0 || contains(view_.hidden, item.kind)) return;
    const auto place = static_cast<std::size_t>(places.group);
    std::unique_ptr<ShareColumns>& shares = rows[place].shares[index];
    if (!shares) {
        shares = std::make_unique<ShareColumns>(view_.range, view_.nsPerPixel, plan_[place].ranks.size());
    }
    shares->add(item.kind, item.start, item.length, item.covered, item.step);
    spansOfGroups += item.count;
}

void SpanGather::addTimed(Places places, TimeRange range) {
    if (places.alone >= 0) rows[static_cast<std::size_t>(places.alone)].timed.push_back(range);
    if (places.group >= 0) rows[static_cast<std::size_t>(places.group)].timed.push_back(range);
}

}  // namespace dasgd::gui
