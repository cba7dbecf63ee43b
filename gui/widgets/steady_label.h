// A line of words that changes many times a second.
#pragma once

#include <QLabel>

#include "gui/widgets/parts.h"

namespace dasgd::gui {

// Takes another size only when its words no longer fit or leave much room: with each change of size the whole window is
// laid out again.
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
    // The size hint is never below the size that is fixed.
    [[nodiscard]] QSize needed() const {
        const QMargins around = contentsMargins() + margin();
        return fontMetrics().size(Qt::TextSingleLine, text()).grownBy(around);
    }
    static constexpr int kSpare = 24;  // pixels
};

}  // namespace dasgd::gui
