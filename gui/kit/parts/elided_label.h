// A label that requires no width: text that does not fit is cut with an ellipsis, at its end or where `cut` says.
#pragma once

#include <QLabel>
#include <QPainter>
#include <QStringList>

namespace dasgd::gui {

class ElidedLabel : public QLabel {
public:
    explicit ElidedLabel(const char* tone = "small", Qt::TextElideMode cut = Qt::ElideRight) : cut_(cut) {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QString::fromLatin1(tone));
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    }
    // Shows the longest of the texts that fits; if none does, the last, cut. `texts`: the longest first.
    void setTexts(const QStringList& texts) {
        texts_ = texts;
        choose();
    }
    // Shows text that changes many times a second: the label then has a size of its own, which changes only if the text
    // no longer fits or leaves much room, since each change lays the whole window out again.
    void say(const QString& words) {
        setText(words);
        setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
        ensurePolished();
        const QSize size = fontMetrics().size(Qt::TextSingleLine, words).grownBy(contentsMargins() + margin());
        const bool fits = size.width() <= maximumWidth() && size.width() > maximumWidth() - 2 * kSpare;
        if (!fits || size.height() != maximumHeight()) setFixedSize(size + QSize(words.isEmpty() ? 0 : kSpare, 0));
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        choose();
    }
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
    void choose() {
        for (const QString& text : texts_) {
            const bool fits = fontMetrics().horizontalAdvance(text) <= contentsRect().width();
            if (fits || text == texts_.back()) return setText(text);
        }
    }

    static constexpr int kSpare = 24;  // extra width in pixels of text that changes often
    Qt::TextElideMode cut_;
    QStringList texts_;
};

}  // namespace dasgd::gui
