#include "gui/timeline/view/timeline_layout.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

double laneHeight(const TimelineRow& row, const TimelineMetrics& metrics) {
    if (row.isGroup()) return row.lane == Lane::Compute ? metrics.groupLane : metrics.groupOther;
    return row.lane == Lane::Compute ? metrics.computeLane : metrics.otherLane;
}

bool isPair(const TimelineRow& a, const TimelineRow& b) {
    return a.rank == b.rank && a.ranks == b.ranks && a.place == b.place;
}

double gapAbove(const TimelineRow& row, const TimelineRow& above, const TimelineMetrics& metrics) {
    if (!isPair(row, above)) return metrics.rankGap;
    return row.isGroup() ? metrics.groupGap : metrics.laneGap;
}

double rowsHeight(const std::vector<TimelineRow>& rows, const TimelineMetrics& metrics) {
    double height = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) height += gapAbove(rows[i], rows[i - 1], metrics);
        height += laneHeight(rows[i], metrics);
    }
    return height;
}

}  // namespace

double TimelineLayout::heightFor(const std::vector<TimelineRow>& rows, const TimelineMetrics& metrics, double scale) {
    return metrics.axis + rowsHeight(rows, metrics) * scale + metrics.foot;
}

TimelineLayout::TimelineLayout(const std::vector<TimelineRow>& rows, QRectF bounds, const TimelineMetrics& metrics)
    : bounds_(bounds), plot_(bounds.adjusted(metrics.labels, metrics.axis, 0, -metrics.foot)), foot_(metrics.foot) {
    if (rows.empty()) return;
    // With few ranks, rows may grow beyond full size to use the space.
    scale_ = std::clamp(plot_.height() / rowsHeight(rows, metrics), metrics.leastScale, metrics.mostScale);
    double y = plot_.top();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) y += scale_ * gapAbove(rows[i], rows[i - 1], metrics);
        const double height = scale_ * laneHeight(rows[i], metrics);
        lanes_.emplace_back(plot_.left(), y, plot_.width(), height);
        y += height;
    }
    for (std::size_t i = 0, first = 0; i <= rows.size(); ++i) {
        if (i < rows.size() && isPair(rows[first], rows[i])) continue;
        pairs_.insert(pairs_.end(), i - first, lanes_[first].united(lanes_[i - 1]));
        first = i;
    }
}

int TimelineLayout::rowAt(double y) const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (y >= lanes_[i].top() && y < lanes_[i].bottom()) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace dasgd::gui
