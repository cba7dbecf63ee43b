// The part of a plot that is looked at: all of it, or what was dragged out, turned to with the wheel, or moved to with
// keys. Private to gui/plots.
#pragma once

#include <qcustomplot.h>

#include <optional>

class QRubberBand;

namespace dasgd::gui {

class PlotZoom : public QObject {
    Q_OBJECT

public:
    // `focused`: the widget that has the keys of the plot. Lives as long as both.
    PlotZoom(QCustomPlot& plot, QWidget& focused);

    // An event of the plot; true where nobody else is to have it. The wheel turns the page, not the plot, unless the
    // plot has the focus or Ctrl is down.
    bool take(QEvent& event);
    // Arrows pan, + and − zoom, 0 shows everything; true where the key was one of these.
    bool takeKey(const QKeyEvent& event);
    // To be called after the plot has been fitted to its curves: what was zoomed to stays.
    void restore();
    void fit();
    [[nodiscard]] bool zoomed() const { return part_.has_value(); }

signals:
    void changed();         // the part that is shown
    void fitted();          // everything is to be shown again
    void clicked(QPointF);  // pressed and released at one place

private:
    struct Part {
        QCPRange x, y;
    };

    bool turn(QWheelEvent& event);
    void turnPage(QWheelEvent& event);
    void dragTo(QPoint at);
    void release(QPoint at);
    void scale(double factor, QPointF around, bool alsoY);
    void pan(double share);
    void keep();

    QCustomPlot& plot_;
    QWidget& focused_;
    QRubberBand* band_;
    std::optional<QPoint> pressed_;
    bool dragging_ = false;
    std::optional<Part> part_;
};

}  // namespace dasgd::gui
