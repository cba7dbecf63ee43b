// Ticks, dashes and markers of our plots. Private to gui/plots.
#pragma once

#include <qcustomplot.h>

#include "gui/plots/plot_view.h"

namespace dasgd::gui {

// "24 k" for large numbers, few digits for small ones. For a number that stands alone; the labels of a linear or
// logarithmic axis share a unit.
[[nodiscard]] QString tickText(double value);

// The unit that all labels of an axis have: 10 to a power, with its letter.
struct TickUnit {
    double size = 1;
    QString name;  // " k", "·10⁻⁵"; "" for ones
};
[[nodiscard]] TickUnit tickUnitOf(double largest);

enum class Ticks {
    Linear,
    Whole,  // linear, and no tick between two whole numbers: steps, samples
    Log,    // 1, 2, 5 of each decade where the range is short, decades alone where it is long
    Log2,   // powers of two, as many as fit
};
[[nodiscard]] QSharedPointer<QCPAxisTicker> tickerOf(Ticks ticks);

// Of a style: on, off, … in widths of the stroke; empty of the first, which is solid.
[[nodiscard]] const QList<qreal>& dashOf(int dash);
// The stroke of a curve, dashed as its style says; the first style is solid.
[[nodiscard]] QPen strokeOf(const PlotStyle& style, CurveStyle curve);
// What curves are held against: grey, or in another colour than the first of the curves.
[[nodiscard]] QPen guideStroke(const PlotStyle& style, int color = 0);

// A closed shape in its colour, so that filled and hollow can be told apart.
[[nodiscard]] QCPScatterStyle markerOf(const PlotStyle& style, CurveStyle curve, bool hollow);

// A line whose points stay bare: the marker of its style is in the middle of the legend's sample alone.
class BareLine : public QCPGraph {
public:
    BareLine(QCPAxis* x, QCPAxis* y);

protected:
    void drawScatterPlot(QCPPainter*, const QVector<QPointF>&, const QCPScatterStyle&) const override {}
};

// Points without a line. Those at either end of an axis are whole: the line ends there, its marker reaches beyond.
class WholeMarkers : public QCPGraph {
public:
    WholeMarkers(QCPAxis* x, QCPAxis* y, const QCPScatterStyle& marker);

protected:
    QRect clipRect() const override;
};

// A tinted part of the picture among the names of the curves.
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
