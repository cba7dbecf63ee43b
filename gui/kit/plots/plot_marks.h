// Ticks, dashes and markers of plots. Private to gui/kit/plots.
#pragma once

#include <qcustomplot.h>

#include "gui/kit/plots/plot_view.h"

namespace dasgd::gui {

// "24 k" for large numbers, few digits for small ones. For single numbers only; the labels of an axis share a unit.
[[nodiscard]] QString tickText(double value);

// The common unit of all labels of an axis: a power of ten with its letter.
struct TickUnit {
    double size = 1;
    QString name;  // " k", "·10⁻⁵"; "" for ones
};
[[nodiscard]] TickUnit tickUnitOf(double largest);

enum class Ticks {
    Linear,
    Whole,  // linear, with ticks at whole numbers only: steps, samples
    Log,    // 1, 2, 5 of each decade in a short range, decades only in a long one
    Log2,   // powers of two, as many as fit
};
[[nodiscard]] QSharedPointer<QCPAxisTicker> tickerOf(Ticks ticks);

// Dash pattern of a style: on, off, … in widths of the stroke; empty for the first style, which is solid.
[[nodiscard]] const QList<qreal>& dashOf(int dash);
// The stroke of a curve, dashed as its style says; the first style is solid.
[[nodiscard]] QPen strokeOf(const PlotStyle& style, CurveStyle curve);
// Stroke of guides, against which curves are read: grey, or with a `color` above 0 the curve colour of that number.
[[nodiscard]] QPen guideStroke(const PlotStyle& style, int color = 0);

// Marker of a curve: a closed shape in its colour, filled or hollow.
[[nodiscard]] QCPScatterStyle markerOf(const PlotStyle& style, CurveStyle curve, bool hollow);

// A line without markers at its points; the marker of its style appears only in the legend sample.
class BareLine : public QCPGraph {
public:
    BareLine(QCPAxis* x, QCPAxis* y);

protected:
    void drawScatterPlot(QCPPainter*, const QVector<QPointF>&, const QCPScatterStyle&) const override {}
};

// Points without a line. Markers at the ends of an axis are not clipped.
class WholeMarkers : public QCPGraph {
public:
    WholeMarkers(QCPAxis* x, QCPAxis* y, const QCPScatterStyle& marker);

protected:
    QRect clipRect() const override;
};

// Legend entry of the tinted band.
class BandItem : public QCPAbstractLegendItem {
public:
    BandItem(QCPLegend* legend, const QString& name, const QBrush& tint);
    void setName(const QString& name) { name_ = name; }
    [[nodiscard]] const QString& name() const { return name_; }

protected:
    void draw(QCPPainter* painter) override;
    QSize minimumOuterSizeHint() const override;

private:
    QString name_;
    QBrush tint_;
};

}  // namespace dasgd::gui
