// Scroll area for a page that needs more room than its window has, as on a small screen at 200 %.
#pragma once

#include <QEvent>
#include <QScrollArea>
#include <QScrollBar>

namespace dasgd::gui {

class PageArea : public QScrollArea {
public:
    explicit PageArea(QWidget* page) {
        setObjectName(QStringLiteral("page"));
        setFrameShape(QFrame::NoFrame);
        setWidget(page);
        setFocusPolicy(Qt::NoFocus);
        setFocusProxy(page);
        setMinimumSize(480, 320);
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        QScrollArea::resizeEvent(event);
        fit();
    }
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (watched == widget() && event->type() == QEvent::LayoutRequest) fit();
        return QScrollArea::eventFilter(watched, event);
    }

private:
    // Gives the page the visible size, or its minimum size if that is larger. widgetResizable would give a page with
    // wrapped text its preferred height, and scroll needlessly.
    void fit() {
        const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
        QSize room = maximumViewportSize();
        if (least.width() > room.width()) room.rheight() -= horizontalScrollBar()->sizeHint().height();
        if (least.height() > room.height()) room.rwidth() -= verticalScrollBar()->sizeHint().width();
        widget()->resize(room.expandedTo(least));
    }
};

}  // namespace dasgd::gui
