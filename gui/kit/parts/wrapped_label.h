// A label that takes the remaining width and as many lines as its text needs there.
#pragma once

#include <QLabel>

namespace dasgd::gui {

// The label fixes its own height: with Qt's height-for-width, a scrolled page would be laid out by the preferred
// heights of its cards, not by those that they need.
class WrappedLabel : public QLabel {
public:
    explicit WrappedLabel(const char* tone, QWidget* parent = nullptr) : QLabel(parent) {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QString::fromLatin1(tone));
        setWordWrap(true);
        setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    }
    void say(const QString& words) {
        if (words == text()) return;
        setText(words);
        if (laidOut_) fit();
    }
    [[nodiscard]] bool hasHeightForWidth() const override { return false; }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QLabel::resizeEvent(event);
        laidOut_ = true;
        fit();
    }

private:
    void fit() {
        ensurePolished();
        if (const int needed = heightForWidth(width()); needed > 0 && needed != height()) setFixedHeight(needed);
    }

    bool laidOut_ = false;  // true once the label has its width
};

}  // namespace dasgd::gui
