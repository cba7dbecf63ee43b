// A choice with its arrow: the theme's sheet has none, as there it is a picture in one colour for all themes.
#pragma once

#include <QComboBox>
#include <QPainter>
#include <QWheelEvent>

namespace dasgd::gui {

// Over what the style has painted of the box.
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
    // It scrolls the page, whatever slides under the pointer meanwhile.
    void wheelEvent(QWheelEvent* event) override { event->ignore(); }
    void paintEvent(QPaintEvent* event) override {
        QComboBox::paintEvent(event);
        paintArrow();
    }
    // In the colour of the text, weaker.
    void paintArrow() {
        QColor color = palette().color(QPalette::Text);
        color.setAlphaF(0.6F);
        paintChoiceArrow(*this, color);
    }
};

}  // namespace dasgd::gui
