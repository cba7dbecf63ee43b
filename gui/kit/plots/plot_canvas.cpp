#include "gui/kit/plots/plot_canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "gui/kit/plots/dense_curves.h"
#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr int kMarkersPerCurve = 9, kMarkersOfMany = 2;
constexpr double kRing = 8;  // radius in pixels

bool marksEveryPoint(const Curve& curve) {
    return curve.kind == Curve::Kind::Points || curve.kind == Curve::Kind::Scatter;
}

QColor fadedOf(QColor color) {
    color.setAlphaF(0.22F);
    return color;
}

QVector<double> vectorOf(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

PlotCanvas::PlotCanvas(QWidget* parent) : plot_(new QCustomPlot(parent)) {
    plot_->setNoAntialiasingOnDrag(true);
    QObject::connect(plot_, &QCustomPlot::afterReplot, plot_, [this] { queued_ = false; });
    plot_->setBufferDevicePixelRatio(parent ? parent->devicePixelRatioF() : 1);
    plot_->xAxis->setTicker(tickerOf(Ticks::Linear));
    plot_->axisRect()->setMinimumMargins(QMargins(8, 4, 12, 4));
    plot_->legend->setVisible(true);
    plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, false);
    plot_->legend->setWrap(4);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->legend->setIconSize(30, 17);
    plot_->legend->setColumnSpacing(14);
    plot_->legend->setRowSpacing(2);
    plot_->legend->setMargins(QMargins(6, 2, 2, 2));
    // The legend stands above the axes, where it hides no curve; the empty element pushes it to the right.
    auto* above = new QCPLayoutGrid;
    plot_->plotLayout()->insertRow(0);
    plot_->plotLayout()->addElement(0, 0, above);
    above->addElement(0, 0, new QCPLayoutElement(plot_));
    above->addElement(0, 1, plot_->legend);
    above->setColumnStretchFactor(1, 0.001);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    plot_->plotLayout()->setRowSpacing(0);
    ringCentre_ = new QCPItemTracer(plot_);
    ringCentre_->setStyle(QCPItemTracer::tsNone);
    ringCentre_->position->setType(QCPItemPosition::ptPlotCoords);
    ring_ = new QCPItemEllipse(plot_);
    ring_->setLayer(QStringLiteral("overlay"));
    ring_->setBrush(Qt::NoBrush);
    for (QCPItemPosition* corner : {ring_->topLeft, ring_->bottomRight}) {
        corner->setType(QCPItemPosition::ptAbsolute);
        corner->setParentAnchor(ringCentre_->position);
    }
    ring_->topLeft->setCoords(-kRing, -kRing);
    ring_->bottomRight->setCoords(kRing, kRing);
    cursor_ = new QCPItemStraightLine(plot_);
    cursor_->setLayer(QStringLiteral("overlay"));
    // The band has a buffered layer of its own, so that it can follow a live run without painting the curves again.
    plot_->addLayer(QStringLiteral("band"), plot_->layer(QStringLiteral("background")));
    plot_->layer(QStringLiteral("band"))->setMode(QCPLayer::lmBuffered);
    band_ = new QCPItemRect(plot_);
    band_->setLayer(QStringLiteral("band"));
    for (auto* end : {band_->topLeft, band_->bottomRight, cursor_->point1, cursor_->point2})
        end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    for (auto* item : std::initializer_list<QCPAbstractItem*>{ring_, cursor_, band_}) item->setVisible(false);
}

void PlotCanvas::style(const PlotStyle& style) {
    style_ = style;
    plot_->setBackground(style.ground);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setBasePen(style.frame ? QPen(style.axis, style.hair) : QPen(Qt::NoPen));
        axis->setTickPen(style.frame ? QPen(style.axis, style.hair) : QPen(Qt::NoPen));
        axis->setSubTickPen(Qt::NoPen);
        axis->setTickLengthIn(0);
        axis->setTickLengthOut(style.frame ? 3 : 0);
        axis->grid()->setPen(QPen(style.grid, style.hair));
        axis->grid()->setZeroLinePen(Qt::NoPen);
        axis->setTickLabelColor(style.muted);
        axis->setLabelColor(style.muted);
        axis->setTickLabelFont(style.font);
        axis->setLabelFont(style.font);
        axis->setTickLabelPadding(6);
        axis->setLabelPadding(4);
    }
    plot_->xAxis->grid()->setVisible(style.frame);
    plot_->legend->setFont(style.legendFont);
    plot_->legend->setTextColor(style.text);
    plot_->legend->setBrush(Qt::NoBrush);
    cursor_->setPen(QPen(style.muted, style.hair, Qt::DotLine));
    QColor tint = style.muted;
    tint.setAlphaF(0.16F);
    band_->setBrush(tint);
    band_->setPen(Qt::NoPen);
}

void PlotCanvas::axes(const PlotAxes& axes) {
    axes_ = axes;
    plot_->xAxis->setLabel(axes.x);
    plot_->yAxis->setLabel(axes.y);
    plot_->legend->setVisible(axes.legend);
    plot_->xAxis->setScaleType(axes.log2X ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    plot_->xAxis->setTicker(tickerOf(axes.log2X ? Ticks::Log2 : axes.wholeX ? Ticks::Whole : Ticks::Linear));
    plot_->yAxis->setScaleType(axes.logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    plot_->yAxis->setTicker(axes.logY ? tickerOf(Ticks::Log) : tickerOf(Ticks::Linear));
    plot_->yAxis->ticker()->setTickCount(4);
}

void PlotCanvas::curves(const std::vector<Curve>& curves) {
    plot_->clearPlottables();
    plot_->legend->clearItems();
    names_.clear();
    // Curves are painted in the order in which they are added: guides first, the primary curve last.
    std::vector<const Curve*> ordered;
    ordered.reserve(curves.size());
    for (const Curve& curve : curves) ordered.push_back(&curve);
    const auto rank = [](const Curve* curve) { return curve->kind == Curve::Kind::Guide ? 0 : curve->primary ? 2 : 1; };
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&rank](const Curve* a, const Curve* b) { return rank(a) < rank(b); });
    if (isDense(curves)) {
        std::vector<const Curve*> behind;
        std::copy_if(ordered.begin(), ordered.end(), std::back_inserter(behind),
                     [](const Curve* curve) { return curve->kind == Curve::Kind::Line && !curve->primary; });
        // The plot owns the plottable.
        new DenseCurves(plot_->xAxis, plot_->yAxis, behind, style_);
        for (const Curve* curve : behind) addMarkers(*curve, nullptr);
        std::erase_if(ordered, [](const Curve* curve) { return curve->kind == Curve::Kind::Line && !curve->primary; });
    }
    for (const Curve* curve : ordered) addBand(*curve, penOf(*curve));
    std::map<const Curve*, QCPGraph*> lines;
    for (const Curve* curve : ordered) lines[curve] = addLine(*curve, penOf(*curve));
    std::set<QString> guides;
    for (const Curve& curve : curves) {
        // Several guides of one name share a legend entry.
        const bool repeated = curve.kind == Curve::Kind::Guide && !guides.insert(curve.name).second;
        if (!axes_.legend || curve.line.x.empty() || repeated || !lines.contains(&curve)) continue;
        lines[&curve]->addToLegend();
        names_ << curve.name;
    }
    if (band_->visible() && !bandName_.isEmpty()) {
        // The legend owns the item.
        plot_->legend->addItem(new BandItem(plot_->legend, bandName_, band_->brush()));
        names_ << bandName_;
    }
    plot_->legend->setVisible(axes_.legend || !names_.isEmpty());
    fit(curves);
}

bool PlotCanvas::isDense(const std::vector<Curve>& curves) const {
    const auto lines =
        std::count_if(curves.begin(), curves.end(), [](const Curve& curve) { return curve.kind == Curve::Kind::Line; });
    return style_.adaptive && !axes_.log2X && static_cast<std::size_t>(lines) > kMostFine;
}

QPen PlotCanvas::penOf(const Curve& curve) const {
    if (curve.kind == Curve::Kind::Guide) return guideStroke(style_, curve.style.color);
    QPen pen = strokeOf(style_, curve.style);
    if (curve.primary) pen.setWidthF(pen.widthF() * 1.15);
    if (curve.faded) pen.setColor(fadedOf(pen.color()));
    return pen;
}

void PlotCanvas::addBand(const Curve& curve, const QPen& pen) {
    QColor faint = pen.color();
    const auto addFaint = [&](const Polyline& line, double opacity) {
        faint.setAlphaF(static_cast<float>(opacity * pen.color().alphaF()));
        QCPGraph* raw = plot_->addGraph();
        raw->setPen(QPen(faint, style_.hair));
        raw->setAdaptiveSampling(style_.adaptive);
        raw->setData(vectorOf(line.x), vectorOf(line.y), true);
        raw->removeFromLegend();
    };
    if (curve.raw) addFaint(*curve.raw, style_.rawOpacity * (curve.primary ? 1 : 0.4));
    for (const Polyline& line : curve.behind) addFaint(line, style_.rawOpacity);
    if (curve.deviation.empty() || curve.hasBars()) return;
    faint.setAlphaF(0.2F * pen.color().alphaF());
    QVector<double> low, high;
    for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
        const BandEnds band = bandAt(curve, i, axes_);
        low.append(band.low);
        high.append(band.high);
    }
    QCPGraph* bottom = plot_->addGraph();
    QCPGraph* top = plot_->addGraph();
    for (QCPGraph* edge : {bottom, top}) {
        edge->setPen(Qt::NoPen);
        edge->setAdaptiveSampling(style_.adaptive);
        edge->removeFromLegend();
    }
    bottom->setData(vectorOf(curve.line.x), low, true);
    top->setData(vectorOf(curve.line.x), high, true);
    top->setBrush(faint);
    top->setChannelFillGraph(bottom);
}

QCPGraph* PlotCanvas::addLine(const Curve& curve, const QPen& pen) {
    // The plot owns the graph.
    QCPGraph* graph = marksEveryPoint(curve) ? plot_->addGraph() : new BareLine(plot_->xAxis, plot_->yAxis);
    graph->removeFromLegend();
    graph->setPen(pen);
    graph->setName(curve.name);
    graph->setAdaptiveSampling(style_.adaptive);
    const bool scatter = curve.kind == Curve::Kind::Scatter;
    graph->setData(vectorOf(curve.line.x), vectorOf(curve.line.y), !scatter);
    if (curve.kind == Curve::Kind::Line) addMarkers(curve, graph);
    if (marksEveryPoint(curve)) graph->setScatterStyle(markerOf(style_, curve.style, curve.hollow));
    if (scatter) graph->setLineStyle(QCPGraph::lsNone);
    if (curve.hasBars()) addBars(curve, *graph, pen);
    return graph;
}

void PlotCanvas::addBars(const Curve& curve, QCPGraph& graph, const QPen& pen) {
    auto* bars = new QCPErrorBars(plot_->xAxis, plot_->yAxis);
    bars->setDataPlottable(&graph);
    bars->setPen(QPen(pen.color(), style_.hair * 1.2));
    bars->setWhiskerWidth(style_.marker * 1.2);
    bars->setSymbolGap(style_.marker * 1.5);
    bars->removeFromLegend();
    QVector<double> below, above;
    for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
        const BandEnds ends = bandAt(curve, i, axes_);
        below.append(curve.line.y[i] - ends.low);
        above.append(ends.high - curve.line.y[i]);
    }
    bars->setData(below, above);
    // The markers are drawn again on top, since a short error bar would strike its marker through.
    QCPGraph* markers = plot_->addGraph();
    markers->setLineStyle(QCPGraph::lsNone);
    markers->setScatterStyle(graph.scatterStyle());
    markers->setData(graph.data());
    markers->removeFromLegend();
}

// Marks every point if they are few, else some along the line. Each curve has its own positions, so that markers of
// crossing curves stay apart.
void PlotCanvas::addMarkers(const Curve& curve, QCPGraph* legendOwner) {
    QCPScatterStyle scatter = markerOf(style_, curve.style, curve.hollow);
    if (curve.faded) {
        scatter.setPen(fadedOf(scatter.pen().color()));
        if (!curve.hollow) scatter.setBrush(fadedOf(scatter.brush().color()));
    }
    const std::size_t n = curve.line.x.size();
    if (legendOwner) legendOwner->setScatterStyle(scatter);
    if (n == 0) return;
    QVector<double> x, y;
    const auto add = [&](std::size_t i) {
        if (i >= n || !std::isfinite(curve.line.y[i])) return;
        x.append(curve.line.x[i]);
        y.append(curve.line.y[i]);
    };
    const std::size_t count = legendOwner ? kMarkersPerCurve : kMarkersOfMany;
    const double first = curve.line.x.front(), step = (curve.line.x.back() - first) / static_cast<double>(count);
    for (std::size_t i = 0; i < std::min(n, count); ++i) {
        const double at = first + step * (static_cast<double>(i) + 0.25 + 0.5 * curve.style.marker / kCurveColors);
        const auto place = std::lower_bound(curve.line.x.begin(), curve.line.x.end(), at) - curve.line.x.begin();
        add(n <= count ? i : static_cast<std::size_t>(place));
    }
    // The plot owns the markers.
    auto* markers = new WholeMarkers(plot_->xAxis, plot_->yAxis, scatter);
    markers->setData(x, y, true);
}

void PlotCanvas::fit(const std::vector<Curve>& curves) {
    double left = std::numeric_limits<double>::infinity(), right = -left, low = left, high = right;
    const auto cover = [&](const std::vector<double>& x, const std::vector<double>& y) {
        for (std::size_t i = 0; i < x.size(); ++i) {
            left = std::min(left, x[i]);
            right = std::max(right, x[i]);
            if (!std::isfinite(y[i]) || (axes_.logY && y[i] <= 0)) continue;
            low = std::min(low, y[i]);
            high = std::max(high, y[i]);
        }
    };
    for (const Curve& curve : curves) {
        cover(curve.line.x, curve.line.y);
        for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
            const BandEnds band = bandAt(curve, i, axes_);
            cover({curve.line.x[i], curve.line.x[i]}, {leastShown(curve, i, axes_), band.high});
        }
        if (curve.raw && curve.primary) cover(curve.raw->x, bulkOf(curve.raw->y));
    }
    const bool wide = std::any_of(curves.begin(), curves.end(), [](const Curve& curve) {
        return curve.kind == Curve::Kind::Scatter || (curve.kind == Curve::Kind::Line && curve.hasBars());
    });
    // Extra room at both ends of x, so that points and whiskers are not clipped.
    const double room = wide && left < right ? 0.05 * (right - left) : 0;
    fitX(left - room, right + room);
    if (!(low <= high)) {
        low = axes_.logY ? 0.1 : 0;
        high = 1;
    }
    if (axes_.logY) {
        // A single throughput must still lie between two ticks.
        const double least = axes_.log2X && high < 2 * low ? 1.6 : 1;
        const double room = std::max(least, std::pow(high / low, 0.05) * 1.02);
        plot_->yAxis->setRange(low / room, high * room);
    } else {
        // A single value lies in the middle of a range of 10 % of its size.
        if (high - low <= 1e-9 * std::abs(high)) {
            const double around = std::max(0.05 * std::abs(high), 1e-9);
            low -= around;
            high += around;
        }
        const double bottom = axes_.fromZero ? std::min(0.0, low) : low - 0.06 * (high - low);
        const double room = std::max(high - bottom, std::abs(high) * 1e-3 + 1e-12);
        plot_->yAxis->setRange(bottom, bottom + room * 1.08);
    }
}

void PlotCanvas::fitX(double left, double right) {
    if (axes_.log2X) {
        const bool any = left > 0 && left <= right;
        plot_->xAxis->setRange(any ? left / 1.25 : 0.8, any ? right * 1.25 : 2.5);
        return;
    }
    // Steps begin at 1 and samples at one batch; such axes start at 0, which reads better.
    if (left > 0 && left < 0.1 * right) left = 0;
    if (!(left < right)) {
        left = std::isfinite(left) ? left - 0.5 : 0;
        right = left + 1;
    }
    plot_->xAxis->setRange(left, right);
}

void PlotCanvas::cursor(std::optional<double> x) {
    cursor_->setVisible(x.has_value());
    cursor_->point1->setCoords(x.value_or(0), 0);
    cursor_->point2->setCoords(x.value_or(0), 1);
    drawLayer(QStringLiteral("overlay"));
}

void PlotCanvas::mark(std::optional<QPointF> at, const QColor& color) {
    ring_->setVisible(at.has_value());
    ringCentre_->position->setCoords(at.value_or(QPointF()));
    ring_->setPen(QPen(color, 2));
}

void PlotCanvas::band(std::optional<std::pair<double, double>> band, bool now) {
    band_->setVisible(band.has_value());
    band_->topLeft->setCoords(band ? band->first : 0, 0);
    band_->bottomRight->setCoords(band ? band->second : 0, 1);
    if (now) drawLayer(QStringLiteral("band"));
}

void PlotCanvas::draw(bool now) {
    queued_ = !now;
    plot_->replot(now ? QCustomPlot::rpImmediateRefresh : QCustomPlot::rpQueuedReplot);
}

void PlotCanvas::drawLayer(const QString& name) {
    if (!queued_) plot_->layer(name)->replot();
}

}  // namespace dasgd::gui
