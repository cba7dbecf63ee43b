// Very many curves on the screen: each is painted pixel column by pixel column, from its lowest to its highest value
// there, so that a frame costs what the picture has pixels, not what the curves have points. Private to gui/plots.
#pragma once

#include <qcustomplot.h>

#include <vector>

#include "gui/plots/plot_view.h"

namespace dasgd::gui {

// On linear x; the curves' x rise. `curves` outlive it, and do not change.
class DenseCurves : public QCPAbstractPlottable {
    Q_OBJECT

public:
    DenseCurves(QCPAxis* x, QCPAxis* y, const std::vector<const Curve*>& curves, const PlotStyle& style);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    struct Line {
        const Curve* curve;
        std::vector<float> low, high;  // of each block of points
        QRgb color;                    // premultiplied
        std::vector<int> dash;         // columns on, off, …
    };
    struct Span {
        double low, high;
    };

    [[nodiscard]] static Span spanOf(const Line& line, std::size_t from, std::size_t to);
    void paintLine(const Line& line, QImage& image, QPoint origin) const;

    std::vector<Line> lines_;
    int width_;  // of a stroke, in pixels
};

}  // namespace dasgd::gui
