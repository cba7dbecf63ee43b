// Scroll areas for the rows of a timeline.
#pragma once

#include <QEvent>
#include <QScrollArea>
#include <utility>

#include "gui/timeline/timeline_card.h"

namespace dasgd::gui {

// Scroll area that owns the card and is never too low to show one of its rows.
class RowsArea : public QScrollArea {
public:
    explicit RowsArea(TimelineCard& card) : card_(card) {
        setObjectName(QStringLiteral("page"));
        setFrameShape(QFrame::NoFrame);
        setWidgetResizable(true);
        setWidget(&card);
    }
    [[nodiscard]] QSize minimumSizeHint() const override {
        return {QScrollArea::minimumSizeHint().width(), card_.leastHeight()};
    }

protected:
    bool event(QEvent* event) override {
        const bool done = QScrollArea::event(event);
        if (event->type() == QEvent::LayoutRequest) {
            const int least = card_.leastHeight();
            if (std::exchange(least_, least) != least) updateGeometry();
        }
        return done;
    }

private:
    TimelineCard& card_;
    int least_ = 0;
};

}  // namespace dasgd::gui
