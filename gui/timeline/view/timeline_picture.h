// The picture of a timeline, kept from one frame to the next. If the window has moved by whole pixels, the picture is
// shifted and only uncovered and changed columns are painted. The result equals a full repaint pixel for pixel.
#pragma once

#include <QPixmap>
#include <QString>

#include "gui/data/spans/span_merge.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_layout.h"
#include "gui/timeline/view/timeline_style.h"

namespace dasgd::gui {

// Everything that a picture is painted from. `layout` and `marks` outlive the call of paint().
struct TimelineScene {
    TimelineFramePtr frame;
    const TimelineLayout& layout;
    TimeScale scale;
    TimelineStyle style;
    const TimelineMarks& marks;
    QRect band;        // the visible part of the layout, over its whole width
    double ratio = 1;  // device pixels per logical pixel
    QString instead;   // text in place of the timeline; "": the timeline is painted
};

class TimelinePicture {
public:
    // Frame, window or strip may have changed: the next paint() compares them with the last ones.
    void touch() { touched_ = true; }
    // Layout, style or labels have changed: the next paint() paints everything.
    void invalidate() { touched_ = whole_ = true; }

    // Brings the picture up to date; does nothing if nothing was touched.
    void paint(const TimelineScene& scene);

    [[nodiscard]] const QPixmap& pixmap() const { return pixmap_; }
    [[nodiscard]] QRect band() const { return band_; }
    // Number of pixel columns of the rows that the last paint() painted.
    [[nodiscard]] int columnsPainted() const { return columns_; }

private:
    [[nodiscard]] bool canKeep(const TimelineScene& scene, Ns& moved) const;
    void paintWhole(const TimelineScene& scene);
    void update(const TimelineScene& scene, int moved);
    void paintColumns(QPainter& painter, const TimelineScene& scene, const QRect& columns);

    QPixmap pixmap_;
    QRect band_;
    TimelineFramePtr frame_;  // the frame painted last
    TimeScale scale_;
    bool touched_ = true, whole_ = true;
    int columns_ = 0;
};

}  // namespace dasgd::gui
