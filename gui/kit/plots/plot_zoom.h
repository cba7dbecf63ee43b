// Zoom of a plot: everything, or the part chosen by a drag, the wheel or keys. Private to gui/kit/plots.
#pragma once

#include <qcustomplot.h>

#include <optional>

class QRubberBand;

namespace dasgd::gui {

class PlotZoom : public QObject {
    Q_OBJECT

public:
    // `focused`: the widget that receives the plot's keys; it owns the zoom. `plot` outlives the zoom.
    PlotZoom(QCustomPlot& plot, QWidget& focused);

    // Handles an event of the plot; true if it must go no further. The wheel scrolls the page instead of zooming,
    // unless the plot has the focus or Ctrl is down.
    bool take(QEvent& event);
    // Handles a key: arrows pan, + and − zoom, 0 shows everything. True if the key was one of these.
    bool takeKey(const QKeyEvent& event);
    // Applies the zoom again. Call it after the plot has been fitted to its curves.
    void restore();
    void fit();
    [[nodiscard]] bool zoomed() const { return part_.has_value(); }

signals:
    void changed();         // the visible part changed
    void fitted();          // the zoom was reset; the plot must be fitted to its curves
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
