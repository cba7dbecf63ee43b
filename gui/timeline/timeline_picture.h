// The picture of a timeline, kept from one frame to the next. Where the window has moved by whole pixels it is shifted,
// and only what that uncovers and what has changed is painted; it equals, pixel for pixel, one painted whole.
#pragma once

#include <QPixmap>
#include <QString>

#include "gui/models/timeline/span_merge.h"
#include "gui/timeline/time_scale.h"
#include "gui/timeline/timeline_layout.h"
#include "gui/timeline/timeline_style.h"

namespace dasgd::gui {

// What is drawn. `layout` and `marks` outlive the call.
struct TimelineScene {
    TimelineFramePtr frame;
    const TimelineLayout& layout;
    TimeScale scale;
    TimelineStyle style;
    const TimelineMarks& marks;
    QRect band;        // the part of the layout that is in sight, as wide as it
    double ratio = 1;  // pixels of the device
    QString instead;   // said in place of the timeline, where not empty
};

class TimelinePicture {
public:
    // Frame, window or the strip under the rows may have changed: paint() compares them with what it has drawn.
    void touch() { touched_ = true; }
    // Anything else has changed: layout, style, labels.
    void invalidate() { touched_ = whole_ = true; }

    // Up to date after the call; does nothing where nothing was touched.
    void paint(const TimelineScene& scene);

    [[nodiscard]] const QPixmap& pixmap() const { return pixmap_; }
    [[nodiscard]] QRect band() const { return band_; }
    // How many columns of pixels of the rows the last paint() painted.
    [[nodiscard]] int columnsPainted() const { return columns_; }

private:
    [[nodiscard]] bool canKeep(const TimelineScene& scene, Ns& moved) const;
    void paintWhole(const TimelineScene& scene);
    void update(const TimelineScene& scene, int moved);
    void paintColumns(QPainter& painter, const TimelineScene& scene, const QRect& columns);

    QPixmap pixmap_;
    QRect band_;
    TimelineFramePtr frame_;  // that was drawn
    TimeScale scale_;
    bool touched_ = true, whole_ = true;
    int columns_ = 0;
};

}  // namespace dasgd::gui
