// Layout of the rows of a timeline: two lanes for each rank or group of ranks, computing above communication.
#pragma once

#include <QRectF>
#include <vector>

#include "gui/data/spans/span_merge.h"

namespace dasgd::gui {

struct TimelineMetrics {
    double labels = 96;       // width of the label column
    double axis = 26;         // height of the time axis above the rows
    double computeLane = 32;  // heights at scale 1; all rows shrink together if there is less room
    double otherLane = 28;
    double laneGap = 7;
    double rankGap = 16;
    double groupLane = 30, groupOther = 12, groupGap = 3;  // sizes of rows that show shares of several ranks
    double foot = 0;                                       // height of the foot below the rows (timeline_foot.h)
    double leastScale = 0.3, mostScale = 1.7;
};

class TimelineLayout {
public:
    TimelineLayout() = default;
    TimelineLayout(const std::vector<TimelineRow>& rows, QRectF bounds, const TimelineMetrics& metrics = {});

    [[nodiscard]] QRectF plot() const {
        return plot_;
    }  // area of the boxes: right of the labels, between axis and foot
    [[nodiscard]] QRectF bounds() const { return bounds_; }
    [[nodiscard]] QRectF lane(std::size_t row) const { return lanes_[row]; }  // over the plot's whole width
    [[nodiscard]] std::size_t size() const { return lanes_.size(); }
    // Index of the row under y; −1 between rows.
    [[nodiscard]] int rowAt(double y) const;
    // Rectangle of the two lanes of the rank or group that `row` belongs to.
    [[nodiscard]] QRectF pair(std::size_t row) const { return pairs_[row]; }
    [[nodiscard]] double foot() const { return foot_; }  // height of the foot
    [[nodiscard]] double scale() const { return scale_; }
    // Height that shows `rows` at `scale`.
    [[nodiscard]] static double heightFor(const std::vector<TimelineRow>& rows, const TimelineMetrics& metrics,
                                          double scale);

private:
    QRectF bounds_, plot_;
    std::vector<QRectF> lanes_, pairs_;
    double scale_ = 1, foot_ = 0;
};

}  // namespace dasgd::gui
