// Very many curves on the screen: each is painted pixel column by pixel column, from its lowest to its highest value
// there, so that a frame costs what the picture has pixels, not what the curves have points. A plot that is panned by
// whole pixels shifts the picture and paints the columns that this uncovers. Private to gui/plots.
#pragma once

#include <qcustomplot.h>

#include <QImage>
#include <optional>
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
    // How many columns of pixels the last picture had painted.
    [[nodiscard]] int columnsPainted() const { return columns_; }

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

    // Where the columns lie: column i of the picture begins at origin + (first + i) * perPixel, in every picture that
    // is shifted out of one.
    struct Grid {
        double origin = 0, perPixel = 0;
        long first = 0;
        [[nodiscard]] double left(int column) const { return origin + static_cast<double>(first + column) * perPixel; }
    };

    [[nodiscard]] static Span spanOf(const Line& line, std::size_t from, std::size_t to);
    // By how many pixels to the left the picture is shifted for what the axes show now; nullopt: it is of no use.
    [[nodiscard]] std::optional<long> shift(QSize size) const;
    void paintColumns(int from, int to);
    void paintLine(const Line& line, int from, int to);

    std::vector<Line> lines_;
    int width_;  // of a stroke, in pixels
    QImage image_;
    Grid grid_;
    QCPRange values_;  // of the image
    bool isLog_ = false;
    int columns_ = 0;
};

}  // namespace dasgd::gui
