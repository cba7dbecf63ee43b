// Very many curves on the screen: each is painted pixel column by pixel column, from its lowest to its highest value
// in the column, so that the cost of a frame depends on its pixels, not on the points of the curves. Panning by whole
// pixels shifts the picture and paints only the uncovered columns. Private to gui/kit/plots.
#pragma once

#include <qcustomplot.h>

#include <QImage>
#include <optional>
#include <vector>

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

// The x axis is linear and each curve's x ascends. `curves` outlive the plottable and do not change.
class DenseCurves : public QCPAbstractPlottable {
    Q_OBJECT

public:
    DenseCurves(QCPAxis* x, QCPAxis* y, const std::vector<const Curve*>& curves, const PlotStyle& style);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;
    // Number of pixel columns painted for the last picture.
    [[nodiscard]] int columnsPainted() const { return columns_; }

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    struct Line {
        const Curve* curve;
        std::vector<float> low, high;  // lowest and highest y of each block of points
        QRgb color;                    // premultiplied by alpha
        std::vector<int> dash;         // dash pattern in pixel columns: on, off, …
    };
    struct Span {
        double low, high;
    };

    // x of the pixel columns: column i begins at origin + (first + i) * perPixel. A shift of the picture changes only
    // `first`.
    struct Grid {
        double origin = 0, perPixel = 0;
        long first = 0;
        [[nodiscard]] double left(int column) const { return origin + static_cast<double>(first + column) * perPixel; }
    };

    [[nodiscard]] static Span spanOf(const Line& line, std::size_t from, std::size_t to);
    // Number of pixels by which the last picture, shifted to the left, fits the present axes; nullopt if it cannot be
    // reused.
    [[nodiscard]] std::optional<long> shift(QSize size) const;
    void paintColumns(int from, int to);
    void paintLine(const Line& line, int from, int to);

    std::vector<Line> lines_;
    int width_;  // width of a stroke, in pixels
    QImage image_;
    Grid grid_;
    QCPRange values_;  // y range of the image
    bool isLog_ = false;
    int columns_ = 0;
};

}  // namespace dasgd::gui
