// A label that ends with an ellipsis where there is no room; a tool tip says the rest.
#pragma once

#include <QLabel>
#include <QPainter>

namespace dasgd::gui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(const char* tone = "small") {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QString::fromLatin1(tone));
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

protected:
    void paintEvent(QPaintEvent* event) override {
        const bool fits = wordWrap() || textFormat() != Qt::PlainText ||
                          fontMetrics().horizontalAdvance(text()) <= contentsRect().width();
        // With what is selected in it.
        if (fits) return QLabel::paintEvent(event);
        QPainter painter(this);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(rect(), alignment(), fontMetrics().elidedText(text(), Qt::ElideRight, width()));
    }
};

}  // namespace dasgd::gui
