#include "gui/kit/plots/plot_zoom.h"

#include <QAbstractScrollArea>
#include <QCoreApplication>
#include <QRubberBand>
#include <algorithm>
#include <cmath>

namespace dasgd::gui {

namespace {

constexpr int kLeastDrag = 5;     // smallest drag in pixels; less is a click
constexpr int kLeastHeight = 20;  // drags less high, in pixels, zoom along x only
constexpr double kNotch = 1.25;
constexpr double kKeyPan = 0.15;

}  // namespace

PlotZoom::PlotZoom(QCustomPlot& plot, QWidget& focused)
    : QObject(&focused), plot_(plot), focused_(focused), band_(new QRubberBand(QRubberBand::Rectangle, &plot)) {}

bool PlotZoom::take(QEvent& event) {
    switch (event.type()) {
        case QEvent::Wheel: return turn(static_cast<QWheelEvent&>(event));
        case QEvent::MouseButtonPress: {
            const auto& press = static_cast<QMouseEvent&>(event);
            if (press.button() != Qt::LeftButton) return false;
            focused_.setFocus(Qt::MouseFocusReason);
            pressed_ = press.position().toPoint();
            dragging_ = false;
            return false;
        }
        case QEvent::MouseMove:
            if (pressed_) dragTo(static_cast<QMouseEvent&>(event).position().toPoint());
            return dragging_;
        case QEvent::MouseButtonRelease:
            if (pressed_) release(static_cast<QMouseEvent&>(event).position().toPoint());
            return false;
        case QEvent::MouseButtonDblClick: fit(); return false;
        default: return false;
    }
}

bool PlotZoom::turn(QWheelEvent& event) {
    const bool ours = focused_.hasFocus() || event.modifiers() & Qt::ControlModifier;
    if (!ours || !plot_.axisRect()->rect().contains(event.position().toPoint())) {
        turnPage(event);
        return true;
    }
    scale(std::pow(kNotch, -event.angleDelta().y() / 120.0), event.position(), event.modifiers() & Qt::ShiftModifier);
    event.accept();
    return true;
}

// Scrolls the page around the plot, or the next one outside if that is at its end. Qt's own propagation of ignored
// events does not work here: QCustomPlot accepts every turn, and Qt counts an event that a filter stops as accepted.
void PlotZoom::turnPage(QWheelEvent& event) {
    event.ignore();
    for (QWidget* around = focused_.parentWidget(); around && !event.isAccepted(); around = around->parentWidget()) {
        const auto* area = qobject_cast<QAbstractScrollArea*>(around);
        if (!area) continue;
        QWheelEvent turned(area->viewport()->mapFromGlobal(event.globalPosition()), event.globalPosition(),
                           event.pixelDelta(), event.angleDelta(), event.buttons(), event.modifiers(), event.phase(),
                           event.inverted());
        QCoreApplication::sendEvent(area->viewport(), &turned);
        event.setAccepted(turned.isAccepted());
    }
}

void PlotZoom::dragTo(QPoint at) {
    if (!dragging_ && (at - *pressed_).manhattanLength() < kLeastDrag) return;
    dragging_ = true;
    const QRect area = plot_.axisRect()->rect();
    QRect part = QRect(*pressed_, at).normalized();
    if (part.height() < kLeastHeight) part = {part.left(), area.top(), part.width(), area.height()};
    band_->setGeometry(part & area);
    band_->show();
}

void PlotZoom::release(QPoint at) {
    pressed_.reset();
    if (!dragging_) {
        emit clicked(at);
        return;
    }
    dragging_ = false;
    const QRect part = band_->geometry();
    band_->hide();
    if (part.width() < kLeastDrag) return;
    const QRect area = plot_.axisRect()->rect();
    plot_.xAxis->setRange(plot_.xAxis->pixelToCoord(part.left()), plot_.xAxis->pixelToCoord(part.right()));
    if (part.height() < area.height()) {
        plot_.yAxis->setRange(plot_.yAxis->pixelToCoord(part.bottom()), plot_.yAxis->pixelToCoord(part.top()));
    }
    keep();
}

bool PlotZoom::takeKey(const QKeyEvent& event) {
    if (event.modifiers() & ~(Qt::KeypadModifier | Qt::ShiftModifier)) return false;
    const QPointF middle = plot_.axisRect()->rect().center();
    switch (event.key()) {
        case Qt::Key_Left: pan(-kKeyPan); return true;
        case Qt::Key_Right: pan(kKeyPan); return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal: scale(1 / kNotch, middle, false); return true;
        case Qt::Key_Minus: scale(kNotch, middle, false); return true;
        case Qt::Key_0: fit(); return true;
        default: return false;
    }
}

void PlotZoom::scale(double factor, QPointF around, bool alsoY) {
    plot_.xAxis->scaleRange(factor, plot_.xAxis->pixelToCoord(around.x()));
    if (alsoY) plot_.yAxis->scaleRange(factor, plot_.yAxis->pixelToCoord(around.y()));
    keep();
}

void PlotZoom::pan(double share) {
    QCPAxis& axis = *plot_.xAxis;
    if (axis.scaleType() == QCPAxis::stLogarithmic) {
        axis.moveRange(std::pow(axis.range().upper / axis.range().lower, share));
    } else {
        // By whole pixels, so that DenseCurves can shift its picture.
        const int width = std::max(1, plot_.axisRect()->width());
        axis.moveRange(axis.range().size() / width * std::round(width * share));
    }
    keep();
}

void PlotZoom::keep() {
    part_ = Part{plot_.xAxis->range(), plot_.yAxis->range()};
    emit changed();
}

void PlotZoom::restore() {
    if (!part_) return;
    plot_.xAxis->setRange(part_->x);
    plot_.yAxis->setRange(part_->y);
}

void PlotZoom::fit() {
    part_.reset();
    emit fitted();
}

}  // namespace dasgd::gui
