#include "gui/timeline/view/overview_widget.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <utility>

namespace dasgd::gui {

namespace {

constexpr double kMarkWidth = 7, kLeastMark = 6;  // pixels; with many ranks a line may be less than a pixel high

}  // namespace

OverviewWidget::OverviewWidget(TimeSelection& selection, const Look& look, QWidget* parent)
    : QWidget(parent), selection_(selection), look_(look) {
    setFocusPolicy(Qt::StrongFocus);
    setMinimumHeight(48);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setFixedHeight(72);
    setAccessibleName(tr("All ranks from the beginning to the end; Left and Right move the window"));
    connect(&selection_, &TimeSelection::windowChanged, this, &OverviewWidget::moveWindow);
    connect(&look_, &Look::changed, this, qOverload<>(&QWidget::update));
}

// Repaints only if the window has moved by a pixel or more.
void OverviewWidget::moveWindow() {
    if (windowRect().toRect() != shown_) update();
}

void OverviewWidget::clear() {
    picture_.reset();
    redraw();
}

void OverviewWidget::setPicture(const OverviewPicturePtr& picture) {
    picture_ = picture;
    redraw();
}

void OverviewWidget::redraw() {
    image_ = {};
    update();
    if (!picture_ || picture_->ranks == 0) return;
    image_ = QImage(reinterpret_cast<const uchar*>(picture_->rgba.data()), picture_->width, picture_->ranks,
                    QImage::Format_ARGB32_Premultiplied);
}

void OverviewWidget::setLate(std::map<int, QString> words) {
    if (words == late_) return;
    late_ = std::move(words);
    QStringList all;
    for (const auto& [rank, text] : late_) all << text;
    setAccessibleDescription(all.join(QStringLiteral("; ")));
    update();
}

QRectF OverviewWidget::markRect(int rank) const {
    if (image_.isNull() || rank >= image_.height() || !late_.contains(rank)) return {};
    const double line = 1.0 * height() / image_.height();
    const double high = std::clamp(line, kLeastMark, 2 * kLeastMark);
    const double top = std::clamp((rank + 0.5) * line - high / 2, 0.0, height() - high);
    return {0, top, kMarkWidth, high};
}

bool OverviewWidget::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    QStringList there;
    for (const auto& [rank, text] : late_) {
        if (markRect(rank).adjusted(0, -1, 2 * kMarkWidth, 1).contains(help->pos())) there << text;
    }
    if (there.isEmpty()) {
        QToolTip::hideText();
        event->ignore();
    } else {
        QToolTip::showText(help->globalPos(), there.join(QLatin1Char('\n')), this);
    }
    return true;
}

QRectF OverviewWidget::windowRect() const {
    if (!picture_ || picture_->range.end <= picture_->range.start) return {};
    const TimeRange all = picture_->range, window = selection_.window();
    const double perNs = width() / static_cast<double>(all.end - all.start);
    const double left = std::clamp(static_cast<double>(window.start - all.start) * perNs, 0.0, width() - 2.0);
    const double right = std::clamp(static_cast<double>(window.end - all.start) * perNs, left + 2, 1.0 * width());
    return {left, 0, right - left, 1.0 * height()};
}

void OverviewWidget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& theme = look_.theme();
    painter.fillRect(rect(), theme.panel);
    if (image_.isNull()) return;
    painter.setRenderHint(QPainter::SmoothPixmapTransform, image_.height() > height());
    painter.setOpacity(0.55);
    painter.drawImage(rect(), image_);
    shown_ = windowRect().toRect();
    const QRectF shown(shown_);
    painter.setOpacity(1);
    painter.fillRect(shown, theme.panel);
    painter.drawImage(
        shown, image_,
        QRectF(shown.left() * image_.width() / width(), 0, shown.width() * image_.width() / width(), image_.height()));
    painter.setPen(QPen(theme.accent, hasFocus() ? 2 : 1));
    painter.drawRect(shown.adjusted(0.5, 0.5, -0.5, -0.5));
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.panel, 1));
    painter.setBrush(theme.warn);
    for (const auto& [rank, text] : late_) {
        const QRectF mark = markRect(rank);
        painter.drawPolygon(QPolygonF{mark.topLeft(), QPointF(mark.right(), mark.center().y()), mark.bottomLeft()});
    }
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
    if (!picture_) return;
    const TimeRange all = picture_->range, window = selection_.window();
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
