// A small label that ends with an ellipsis where there is no room; a tool tip says the rest.
#pragma once

#include <QLabel>
#include <QPainter>

namespace dasgd::gui {

class ElidedLabel : public QLabel {
public:
    ElidedLabel() {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QStringLiteral("small"));
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(rect(), alignment(), fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

}  // namespace dasgd::gui
