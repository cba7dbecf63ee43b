#include "gui/plots/plot_canvas.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

constexpr int kMarkersPerCurve = 9;

// Dash patterns in pen widths; the first is solid.
const std::array<QList<qreal>, kCurveColors>& dashes() {
    static const std::array<QList<qreal>, kCurveColors> patterns{
        QList<qreal>{}, {7, 3}, {3, 2}, {8, 3, 2, 3}, {2, 3}, {12, 3}, {5, 2, 1, 2, 1, 2}};
    return patterns;
}

constexpr std::array<QCPScatterStyle::ScatterShape, kCurveColors> kMarkers{
    QCPScatterStyle::ssDisc,    QCPScatterStyle::ssSquare,           QCPScatterStyle::ssTriangle,
    QCPScatterStyle::ssDiamond, QCPScatterStyle::ssTriangleInverted, QCPScatterStyle::ssCross,
    QCPScatterStyle::ssPlus};

// "24 k" for large numbers, few digits for small ones.
QString tickText(double value) {
    const double size = std::abs(value);
    if (size >= 1e9) return QString::number(value / 1e9, 'g', 3) + QStringLiteral(" G");
    if (size >= 1e6) return QString::number(value / 1e6, 'g', 3) + QStringLiteral(" M");
    if (size >= 1e4) return QString::number(value / 1e3, 'g', 3) + QStringLiteral(" k");
    return QString::number(value, 'g', 4);
}

class LinearTicker : public QCPAxisTicker {
protected:
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        return tickText(std::abs(tick) < 1e-12 ? 0 : tick);
    }
};

// 1, 2, 5 of each decade where the range is short, decades alone where it is long.
class LogTicker : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        QVector<double> ticks;
        if (range.lower <= 0) return ticks;
        const double decades = std::log10(range.upper / range.lower);
        const QList<double> steps = decades > 3     ? QList<double>{1}
                                    : decades > 1.5 ? QList<double>{1, 3}
                                                    : QList<double>{1, 2, 3, 5, 7};
        for (double decade = std::floor(std::log10(range.lower)); decade <= std::log10(range.upper); ++decade) {
            for (const double step : steps) {
                const double tick = step * std::pow(10.0, decade);
                if (tick >= range.lower && tick <= range.upper) ticks.append(tick);
            }
        }
        return ticks;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return tickText(tick); }
};

// The values without the lowest and highest tenth: the raw curve's peaks may leave the picture, its bulk may not.
std::vector<double> bulkOf(const std::vector<double>& values) {
    std::vector<double> sorted;
    std::copy_if(values.begin(), values.end(), std::back_inserter(sorted), [](double v) { return std::isfinite(v); });
    if (sorted.empty()) return values;
    std::sort(sorted.begin(), sorted.end());
    const double low = sorted[sorted.size() / 10], high = sorted[sorted.size() - 1 - sorted.size() / 10];
    std::vector<double> bulk = values;
    for (double& value : bulk) value = std::clamp(value, low, high);
    return bulk;
}

QVector<double> vectorOf(const std::vector<double>& values) { return {values.begin(), values.end()}; }

}  // namespace

PlotCanvas::PlotCanvas(QWidget* parent) : plot_(new QCustomPlot(parent)) {
    plot_->setNoAntialiasingOnDrag(true);
    plot_->setBufferDevicePixelRatio(parent ? parent->devicePixelRatioF() : 1);
    plot_->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new LinearTicker));
    plot_->axisRect()->setMinimumMargins(QMargins(8, 4, 12, 4));
    plot_->legend->setVisible(true);
    plot_->legend->setFillOrder(QCPLayoutGrid::foColumnsFirst, false);
    plot_->legend->setWrap(4);
    plot_->legend->setBorderPen(Qt::NoPen);
    plot_->legend->setIconSize(30, 17);
    plot_->legend->setColumnSpacing(14);
    plot_->legend->setRowSpacing(2);
    plot_->legend->setMargins(QMargins(6, 2, 2, 2));
    // Above the axes, where it hides no curve. The empty element pushes it to the right.
    auto* above = new QCPLayoutGrid;
    plot_->plotLayout()->insertRow(0);
    plot_->plotLayout()->addElement(0, 0, above);
    above->addElement(0, 0, new QCPLayoutElement(plot_));
    above->addElement(0, 1, plot_->legend);
    above->setColumnStretchFactor(1, 0.001);
    plot_->plotLayout()->setRowStretchFactor(0, 0.001);
    plot_->plotLayout()->setRowSpacing(0);
    band_ = new QCPItemRect(plot_);
    band_->setLayer(QStringLiteral("background"));
    band_->setVisible(false);
    band_->topLeft->setTypeY(QCPItemPosition::ptAxisRectRatio);
    band_->bottomRight->setTypeY(QCPItemPosition::ptAxisRectRatio);
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
    QColor tint = style.muted;
    tint.setAlphaF(0.16F);
    band_->setBrush(tint);
    band_->setPen(Qt::NoPen);
}

void PlotCanvas::axes(const PlotAxes& axes) {
    axes_ = axes;
    plot_->xAxis->setLabel(axes.x);
    plot_->yAxis->setLabel(axes.y);
    plot_->yAxis->setScaleType(axes.logY ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    plot_->yAxis->setTicker(axes.logY ? QSharedPointer<QCPAxisTicker>(new LogTicker)
                                      : QSharedPointer<QCPAxisTicker>(new LinearTicker));
    plot_->yAxis->ticker()->setTickCount(4);
}

void PlotCanvas::curves(const std::vector<Curve>& curves) {
    plot_->clearGraphs();
    plot_->legend->clearItems();
    // What is behind is added first: bands and raw lines, then the others, then the run that one looks at.
    std::vector<const Curve*> ordered;
    ordered.reserve(curves.size());
    for (const Curve& curve : curves) ordered.push_back(&curve);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const Curve* a, const Curve* b) { return a->primary < b->primary; });
    const auto penOf = [this](const Curve& curve) {
        QPen pen(style_.curves[static_cast<std::size_t>(curve.style.color)], style_.line * (curve.primary ? 1.15 : 1));
        const QList<qreal>& dash = dashes()[static_cast<std::size_t>(curve.style.dash)];
        if (!dash.isEmpty()) pen.setDashPattern(dash);
        pen.setCapStyle(Qt::FlatCap);
        return pen;
    };
    for (const Curve* curve : ordered) addBand(*curve, penOf(*curve));
    std::map<const Curve*, QCPGraph*> lines;
    for (const Curve* curve : ordered) lines[curve] = addLine(*curve, penOf(*curve));
    for (const Curve& curve : curves) lines[&curve]->addToLegend();
    fit(curves);
}

void PlotCanvas::addBand(const Curve& curve, const QPen& pen) {
    QColor faint = pen.color();
    if (curve.raw) {
        faint.setAlphaF(static_cast<float>(style_.rawOpacity * (curve.primary ? 1 : 0.4)));
        QCPGraph* raw = plot_->addGraph();
        raw->setPen(QPen(faint, style_.hair));
        raw->setAdaptiveSampling(style_.adaptive);
        raw->setData(vectorOf(curve.raw->x), vectorOf(curve.raw->y), true);
        raw->removeFromLegend();
    }
    if (curve.deviation.empty()) return;
    faint.setAlphaF(0.2F);
    QVector<double> low, high;
    for (std::size_t i = 0; i < curve.deviation.size(); ++i) {
        low.append(curve.line.y[i] - curve.deviation[i]);
        high.append(curve.line.y[i] + curve.deviation[i]);
        // On a logarithmic axis a band that reaches zero ends at the mean's tenth, not in the void.
        if (axes_.logY && low.back() <= 0) low.back() = curve.line.y[i] / 10;
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
    QCPGraph* graph = plot_->addGraph();
    graph->removeFromLegend();
    graph->setPen(pen);
    graph->setName(curve.name);
    graph->setAdaptiveSampling(style_.adaptive);
    graph->setData(vectorOf(curve.line.x), vectorOf(curve.line.y), true);
    addMarkers(curve, *graph, pen);
    return graph;
}

// A few markers along the line, at places of the curve's own, so that crossing curves keep theirs apart.
void PlotCanvas::addMarkers(const Curve& curve, QCPGraph& legendOwner, const QPen& pen) {
    const auto shape = kMarkers[static_cast<std::size_t>(curve.style.marker)];
    const QCPScatterStyle scatter(shape, QPen(pen.color(), style_.hair * 1.4), QBrush(pen.color()), style_.marker);
    const std::size_t n = curve.line.x.size();
    // One marker in the middle of the legend's sample comes from the line's own style; its points stay bare.
    legendOwner.setScatterStyle(scatter);
    legendOwner.setScatterSkip(std::numeric_limits<int>::max() / 2);
    if (n < 2) return;
    const double first = curve.line.x.front();
    const double span = curve.line.x.back() - first;
    QVector<double> x, y;
    for (int i = 0; i < kMarkersPerCurve; ++i) {
        const double at = first + span * (i + 0.25 + 0.5 * curve.style.marker / kCurveColors) / kMarkersPerCurve;
        const auto index = std::lower_bound(curve.line.x.begin(), curve.line.x.end(), at) - curve.line.x.begin();
        if (index >= static_cast<std::ptrdiff_t>(n) || !std::isfinite(curve.line.y[static_cast<std::size_t>(index)]))
            continue;
        x.append(curve.line.x[static_cast<std::size_t>(index)]);
        y.append(curve.line.y[static_cast<std::size_t>(index)]);
    }
    QCPGraph* markers = plot_->addGraph();
    markers->setLineStyle(QCPGraph::lsNone);
    markers->setScatterStyle(scatter);
    markers->setAdaptiveSampling(false);
    markers->setData(x, y, true);
    markers->removeFromLegend();
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
        if (curve.raw && curve.primary) cover(curve.raw->x, bulkOf(curve.raw->y));
    }
    // Steps begin at 1 and samples at a batch: an axis that begins at 0 reads better.
    if (left > 0 && left < 0.1 * right) left = 0;
    if (!(left < right)) {
        left = std::isfinite(left) ? left - 0.5 : 0;
        right = left + 1;
    }
    if (!(low <= high)) {
        low = axes_.logY ? 0.1 : 0;
        high = 1;
    }
    plot_->xAxis->setRange(left, right);
    if (axes_.logY) {
        const double room = std::pow(high / low, 0.05) * 1.02;
        plot_->yAxis->setRange(low / room, high * room);
    } else {
        const double bottom = axes_.fromZero ? std::min(0.0, low) : low - 0.06 * (high - low);
        const double room = std::max(high - bottom, std::abs(high) * 1e-3 + 1e-12);
        plot_->yAxis->setRange(bottom, bottom + room * 1.08);
    }
}

void PlotCanvas::band(std::optional<std::pair<double, double>> band) {
    band_->setVisible(band.has_value());
    if (!band) return;
    band_->topLeft->setCoords(band->first, 0);
    band_->bottomRight->setCoords(band->second, 1);
}

void PlotCanvas::draw(bool now) { plot_->replot(now ? QCustomPlot::rpImmediateRefresh : QCustomPlot::rpQueuedReplot); }

}  // namespace dasgd::gui
