#include "gui/timeline/timeline_layout.h"

#include <algorithm>

namespace dasgd::gui {

namespace {

double laneHeight(const TimelineRow& row, const TimelineMetrics& metrics) {
    return row.lane == Lane::Compute ? metrics.computeLane : metrics.otherLane;
}

double rowsHeight(const std::vector<TimelineRow>& rows, const TimelineMetrics& metrics) {
    double height = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) height += rows[i].rank == rows[i - 1].rank ? metrics.laneGap : metrics.rankGap;
        height += laneHeight(rows[i], metrics);
    }
    return height;
}

}  // namespace

double TimelineLayout::heightFor(const std::vector<TimelineRow>& rows, const TimelineMetrics& metrics, double scale) {
    return metrics.axis + rowsHeight(rows, metrics) * scale;
}

TimelineLayout::TimelineLayout(const std::vector<TimelineRow>& rows, QRectF bounds, const TimelineMetrics& metrics)
    : bounds_(bounds), plot_(bounds.adjusted(metrics.labels, metrics.axis, 0, 0)) {
    if (rows.empty()) return;
    // Rows may grow beyond full size to use the space that few ranks leave.
    scale_ = std::clamp(plot_.height() / rowsHeight(rows, metrics), metrics.leastScale, metrics.mostScale);
    double y = plot_.top();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (i > 0) y += scale_ * (rows[i].rank == rows[i - 1].rank ? metrics.laneGap : metrics.rankGap);
        const double height = scale_ * laneHeight(rows[i], metrics);
        lanes_.emplace_back(plot_.left(), y, plot_.width(), height);
        y += height;
    }
}

int TimelineLayout::rowAt(double y) const {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (y >= lanes_[i].top() && y < lanes_[i].bottom()) return static_cast<int>(i);
    }
    return -1;
}

}  // namespace dasgd::gui
