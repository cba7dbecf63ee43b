// A label that shows the longest of its texts that fits; if none does, the shortest, cut.
#pragma once

#include <QStringList>

#include "gui/kit/parts/elided_label.h"

namespace dasgd::gui {

class ShortenedLabel : public ElidedLabel {
public:
    using ElidedLabel::ElidedLabel;
    // `texts`: the longest first.
    void setTexts(const QStringList& texts) {
        texts_ = texts;
        choose();
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        ElidedLabel::resizeEvent(event);
        choose();
    }

private:
    void choose() {
        for (const QString& text : texts_) {
            const bool fits = fontMetrics().horizontalAdvance(text) <= contentsRect().width();
            if (!fits && text != texts_.back()) continue;
            if (text != this->text()) setText(text);
            return;
        }
    }

    QStringList texts_;
};

}  // namespace dasgd::gui
