#include "gui/timeline/overview_widget.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

namespace dasgd::gui {

OverviewWidget::OverviewWidget(TimeSelection& selection, const Look& look, QWidget* parent)
    : QWidget(parent), selection_(selection), look_(look) {
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(48);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(72);
    setAccessibleName(tr("All ranks from the beginning to the end; Left and Right move the window"));
    connect(&selection_, &TimeSelection::windowChanged, this, qOverload<>(&QWidget::update));
    connect(&look_, &Look::changed, this, &OverviewWidget::redraw);
}

void OverviewWidget::clear() {
    frame_.reset();
    redraw();
}

void OverviewWidget::setFrame(const TimelineFramePtr& frame) {
    frame_ = frame;
    redraw();
}

// The compute lane of each rank: what it did, in the colours of the kinds.
void OverviewWidget::redraw() {
    image_ = {};
    update();
    if (!frame_ || frame_->rows.empty()) return;
    const double nsPerPixel = frame_->nsPerPixel;
    const TimeRange all = frame_->range;
    const int width = std::max(1, static_cast<int>(std::ceil(static_cast<double>(all.end - all.start) / nsPerPixel)));
    image_ = QImage(width, frame_->rows.back().rank + 1, QImage::Format_RGB32);
    image_.fill(look_.theme().panel);
    for (const TimelineBox& box : frame_->boxes) {
        const TimelineRow& row = frame_->rows[static_cast<std::size_t>(box.row)];
        if (row.lane != Lane::Compute) continue;
        const auto at = [&](Ns t) { return static_cast<int>(static_cast<double>(t - all.start) / nsPerPixel); };
        const int first = std::clamp(at(box.span.start), 0, width - 1);
        const int last = std::clamp(at(box.span.end), first + 1, width);
        auto* pixels = reinterpret_cast<QRgb*>(image_.scanLine(row.rank));
        std::fill(pixels + first, pixels + last, 0xff000000U | box.rgb);
    }
}

QRectF OverviewWidget::windowRect() const {
    if (!frame_ || frame_->range.end <= frame_->range.start) return {};
    const TimeRange all = frame_->range, window = selection_.window();
    const double perNs = width() / static_cast<double>(all.end - all.start);
    const double left = std::clamp(static_cast<double>(window.start - all.start) * perNs, 0.0, width() - 2.0);
    const double right = std::clamp(static_cast<double>(window.end - all.start) * perNs, left + 2, 1.0 * width());
    return {left, 0, right - left, 1.0 * height()};
}

void OverviewWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = look_.theme();
    if (image_.isNull()) {
        painter.fillRect(rect(), theme.panel);
        return;
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image_.height() > height());
    painter.setOpacity(0.55);
    painter.drawImage(rect(), image_);
    const QRectF shown = windowRect();
    painter.setOpacity(1);
    painter.drawImage(
        shown, image_,
        QRectF(shown.left() * image_.width() / width(), 0, shown.width() * image_.width() / width(), image_.height()));
    painter.setPen(QPen(theme.accent, hasFocus() ? 2 : 1));
    painter.drawRect(shown.adjusted(0.5, 0.5, -0.5, -0.5));
}

void OverviewWidget::resizeEvent(QResizeEvent*) {
    if (isVisible()) emit widthWanted(width());
}

void OverviewWidget::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    emit widthWanted(width());
}

void OverviewWidget::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    emit widthWanted(0);
}

void OverviewWidget::moveTo(double x) {
    if (!frame_) return;
    const TimeRange all = frame_->range, window = selection_.window();
    const Ns half = (window.end - window.start) / 2;
    const Ns at = all.start + std::llround(x / width() * static_cast<double>(all.end - all.start));
    selection_.setWindow({at - half, at - half + (window.end - window.start)});
}

void OverviewWidget::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) moveTo(event->position().x());
}

void OverviewWidget::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton) moveTo(event->position().x());
}

void OverviewWidget::keyPressEvent(QKeyEvent* event) {
    const TimeRange window = selection_.window();
    const Ns width = window.end - window.start;
    switch (event->key()) {
        case Qt::Key_Left: return selection_.pan(-width / 2);
        case Qt::Key_Right: return selection_.pan(width / 2);
        case Qt::Key_Home: return selection_.setWindow({selection_.extent().start, selection_.extent().start + width});
        case Qt::Key_End: return selection_.setWindow({selection_.extent().end - width, selection_.extent().end});
        default: QWidget::keyPressEvent(event);
    }
}

}  // namespace dasgd::gui
