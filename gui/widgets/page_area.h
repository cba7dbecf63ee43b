// A page that needs more room than its window has, as on a small screen at 200 %: it scrolls.
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
    // widgetResizable would give a page with broken lines the height that it likes best, and scroll it for that.
    void fit() {
        const QSize least = widget()->minimumSizeHint().expandedTo(widget()->minimumSize());
        QSize room = maximumViewportSize();
        if (least.width() > room.width()) room.rheight() -= horizontalScrollBar()->sizeHint().height();
        if (least.height() > room.height()) room.rwidth() -= verticalScrollBar()->sizeHint().width();
        widget()->resize(room.expandedTo(least));
    }
};

}  // namespace dasgd::gui
