// A label for text that changes many times a second.
#pragma once

#include <QLabel>

#include "gui/kit/parts/parts.h"

namespace dasgd::gui {

// Changes its size only if the text no longer fits or leaves much room, since each change lays the whole window out
// again.
class SteadyLabel : public QLabel {
public:
    explicit SteadyLabel(const char* tone, QWidget* parent = nullptr) : QLabel(parent) {
        setTextFormat(Qt::PlainText);
        setProperty("tone", QString::fromLatin1(tone));
        setFixedSize(needed());
    }
    void say(const QString& words) {
        if (words == text()) return;
        setText(words);
        ensurePolished();
        const QSize size = needed();
        const bool fits = size.width() <= width() && size.width() > width() - 2 * kSpare;
        if (!fits || size.height() != height()) setFixedSize(size + QSize(words.isEmpty() ? 0 : kSpare, 0));
    }

private:
    // Computed from the font, since the size hint is never below the fixed size.
    [[nodiscard]] QSize needed() const {
        const QMargins around = contentsMargins() + margin();
        return fontMetrics().size(Qt::TextSingleLine, text()).grownBy(around);
    }
    static constexpr int kSpare = 24;  // extra width in pixels
};

}  // namespace dasgd::gui
