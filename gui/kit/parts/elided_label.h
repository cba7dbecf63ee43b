// A label that is cut with an ellipsis if there is no room, at its end or where `cut` says.
#pragma once

#include <QLabel>
#include <QPainter>

namespace dasgd::gui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(const char* tone = "small", Qt::TextElideMode cut = Qt::ElideRight) : cut_(cut) {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QString::fromLatin1(tone));
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }

protected:
    void paintEvent(QPaintEvent* event) override {
        const bool fits = wordWrap() || textFormat() != Qt::PlainText ||
                          fontMetrics().horizontalAdvance(text()) <= contentsRect().width();
        // QLabel paints a selection of the text too.
        if (fits) return QLabel::paintEvent(event);
        QPainter painter(this);
        painter.setPen(palette().color(QPalette::WindowText));
        painter.drawText(rect(), alignment(), fontMetrics().elidedText(text(), cut_, width()));
    }

private:
    Qt::TextElideMode cut_;
};

}  // namespace dasgd::gui
