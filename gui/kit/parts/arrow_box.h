// A combo box with an arrow. The theme's style sheet has none, since an arrow there is an image in one colour for all
// themes.
#pragma once

#include <QComboBox>
#include <QPainter>
#include <QWheelEvent>

namespace dasgd::gui {

// Paints the arrow over a box that the style has painted.
inline void paintChoiceArrow(QWidget& box, const QColor& color) {
    QPainter painter(&box);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(color, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    const QPointF tip(box.width() - 14.5, box.height() / 2.0 + 2);
    painter.drawPolyline(QPolygonF{tip + QPointF(-3.5, -3.5), tip, tip + QPointF(3.5, -3.5)});
}

class ArrowBox : public QComboBox {
public:
    explicit ArrowBox(QWidget* parent = nullptr) : QComboBox(parent) { setFocusPolicy(Qt::StrongFocus); }

protected:
    // The wheel scrolls the page, not the choice under the pointer.
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
    void paintEvent(QPaintEvent* event) override {
        QComboBox::paintEvent(event);
        paintArrow();
    }
    // The arrow has the colour of the text, fainter.
    void paintArrow() {
        QColor color = palette().color(QPalette::Text);
        color.setAlphaF(0.6F);
        paintChoiceArrow(*this, color);
    }
};

}  // namespace dasgd::gui
