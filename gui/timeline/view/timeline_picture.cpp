#include "gui/timeline/view/timeline_picture.h"

#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/kit/theme/theme.h"
#include "gui/timeline/view/timeline_changes.h"
#include "gui/timeline/view/timeline_foot.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

constexpr int kEdge = 6;       // pixels beside a change in which boxes may be drawn differently
constexpr int kAboveRows = 6;  // pixels of the axis into which lines of the rows extend, below its labels

// Area of the rows, without labels, axis and foot.
QRect rowsOf(const TimelineScene& scene) {
    const QRectF plot = scene.layout.plot(), bounds = scene.layout.bounds();
    const bool scrolled = scene.band.top() > bounds.top();
    const double axis = plot.top() - bounds.top();
    const double top = scrolled ? scene.band.top() + axis : plot.top() - kAboveRows;
    const double bottom =
        scene.layout.foot() > 0 ? footOf(scene.layout, scene.band).top() : scene.band.y() + scene.band.height();
    const int left = static_cast<int>(plot.left()), first = static_cast<int>(std::ceil(top));
    return {left, first, scene.band.x() + scene.band.width() - left, static_cast<int>(bottom) - first};
}

}  // namespace

void TimelinePicture::paint(const TimelineScene& scene) {
    const QSize pixels = scene.band.size() * scene.ratio;
    const bool same = band_ == scene.band && pixmap_.size() == pixels && pixmap_.devicePixelRatio() == scene.ratio;
    if (same && !touched_) return;
    Ns moved = 0;
    if (same && canKeep(scene, moved)) {
        update(scene, static_cast<int>(moved));
    } else {
        if (pixmap_.size() != pixels) pixmap_ = QPixmap(pixels);
        pixmap_.setDevicePixelRatio(scene.ratio);
        band_ = scene.band;
        paintWhole(scene);
    }
    frame_ = scene.instead.isEmpty() ? scene.frame : nullptr;
    scale_ = scene.scale;
    touched_ = whole_ = false;
}

// True if the painted rows can be reused; `moved` is set to the pixels by which they are shifted to the left.
bool TimelinePicture::canKeep(const TimelineScene& scene, Ns& moved) const {
    const auto isWhole = [](double value) { return value == std::floor(value); };
    const TimeScale& now = scene.scale;
    if (whole_ || !frame_ || !scene.instead.isEmpty() || !isWhole(scene.ratio) || !isWhole(now.left)) return false;
    if (now.left != scale_.left || now.width != scale_.width || now.nsPerPixel() != scale_.nsPerPixel()) return false;
    if (now.window.start == scale_.window.start) return true;
    const auto pixel = static_cast<Ns>(now.nsPerPixel());
    if (!isWhole(now.nsPerPixel()) || pixel <= 0) return false;
    const Ns by = now.window.start - scale_.window.start;
    moved = by / pixel;
    return by % pixel == 0 && std::abs(static_cast<double>(moved)) < now.width;
}

void TimelinePicture::paintWhole(const TimelineScene& scene) {
    pixmap_.fill(scene.style.ground);
    columns_ = scene.band.width();
    QPainter painter(&pixmap_);
    painter.translate(-band_.topLeft());
    painter.setClipRect(band_);
    if (scene.instead.isEmpty()) {
        paintTimeline(painter, *scene.frame, scene.layout, scene.scale, scene.style, scene.marks);
        return;
    }
    painter.setPen(scene.style.muted);
    painter.setFont(interFont(13));
    painter.drawText(band_, Qt::AlignCenter | Qt::TextWordWrap, scene.instead);
}

void TimelinePicture::update(const TimelineScene& scene, int moved) {
    const QRect rows = rowsOf(scene);
    const TimeRange alike = drawnAlike(*frame_, scale_.window, *scene.frame, scene.scale.window);
    int left = rows.left(), right = rows.left();
    if (alike.end > alike.start) {
        const auto xAt = [&](Ns t) { return static_cast<int>(std::floor(scene.scale.xAt(t))); };
        // At an edge that both windows share nothing was moved or cut.
        const bool sameWindow = moved == 0;
        left = sameWindow && alike.start == scene.scale.window.start ? rows.left() : xAt(alike.start) + kEdge;
        right = sameWindow && alike.end == scene.scale.window.end ? rows.right() + 1 : xAt(alike.end) - kEdge;
        left = std::clamp(left, rows.left(), rows.right() + 1);
        right = std::clamp(right, left, rows.right() + 1);
    }
    if (moved != 0 && right > left) {
        const int ratio = static_cast<int>(scene.ratio);
        const QRect kept = rows.translated(-band_.topLeft());
        pixmap_.scroll(-moved * ratio, 0, QRect(kept.topLeft() * ratio, kept.size() * ratio));
    }
    QPainter painter(&pixmap_);
    painter.translate(-band_.topLeft());
    columns_ = 0;
    paintColumns(painter, scene, QRect(QPoint(rows.left(), rows.top()), QPoint(left - 1, rows.bottom())));
    paintColumns(painter, scene, QRect(QPoint(right, rows.top()), QPoint(rows.right(), rows.bottom())));
    const QRect axis(QPoint(rows.left(), band_.top()), QPoint(rows.right(), rows.top() - 1));
    painter.setClipRect(axis);
    painter.fillRect(axis, scene.style.ground);
    painter.setClipRect(band_);
    paintTimelineEdges(painter, *scene.frame, scene.layout, scene.scale, scene.style, scene.marks, band_);
}

void TimelinePicture::paintColumns(QPainter& painter, const TimelineScene& scene, const QRect& columns) {
    if (columns.isEmpty()) return;
    columns_ += columns.width();
    painter.setClipRect(columns);
    painter.fillRect(columns, scene.style.ground);
    const QRectF seen(columns.x(), band_.y(), columns.width(), band_.height());
    paintTimelineRows(painter, *scene.frame, scene.layout, scene.scale, scene.style, scene.marks, seen);
}

}  // namespace dasgd::gui
