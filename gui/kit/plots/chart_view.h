// Base of the charts that are painted from plain data, as a widget: words in place of an empty chart, and the frame
// that shows the focus.
#pragma once

#include <QPainter>
#include <QWidget>

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

class ChartView : public QWidget {
public:
    explicit ChartView(const Look& look) : look_(look) {
        setFocusPolicy(Qt::StrongFocus);
        connect(&look_, &Look::changed, this, qOverload<>(&QWidget::update));
    }
    // The words that are painted while the chart is empty.
    void setEmptyText(const QString& text) {
        emptyText_ = text;
        update();
    }

protected:
    [[nodiscard]] virtual bool isEmpty() const = 0;
    // Paints the chart, which is not empty, into area().
    virtual void paintChart(QPainter& painter, const PlotStyle& style) = 0;

    [[nodiscard]] QRectF area() const { return QRectF(rect()).adjusted(2, 2, -2, -2); }
    [[nodiscard]] PlotStyle plotStyle() const { return screenPlotStyle(look_.theme()); }
    [[nodiscard]] const Theme& theme() const { return look_.theme(); }
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        if (isEmpty()) {
            painter.setPen(theme().muted);
            painter.setFont(interFont(13));
            painter.drawText(area(), Qt::AlignCenter | Qt::TextWordWrap, emptyText_);
        } else {
            paintChart(painter, plotStyle());
        }
        if (!hasFocus()) return;
        painter.setBrush(Qt::NoBrush);
        painter.setPen(theme().accent);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }

private:
    const Look& look_;
    QString emptyText_;
};

}  // namespace dasgd::gui
