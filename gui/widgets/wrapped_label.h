// Words that take the width that is left and as many lines as they need there.
#pragma once

#include <QLabel>

namespace dasgd::gui {

// Fixes its own height: with a height that depends on the width, Qt lays out a scrolled page by the heights that its
// cards like to have, not by those that they need.
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

    bool laidOut_ = false;  // has its width
};

}  // namespace dasgd::gui
