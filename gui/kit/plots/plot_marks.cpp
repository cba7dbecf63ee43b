#include "gui/kit/plots/plot_marks.h"

#include <array>
#include <cmath>
#include <limits>

namespace dasgd::gui {

namespace {

QString raised(int power) {
    static const QString kDigits = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
    QString text = power < 0 ? QStringLiteral("⁻") : QString();
    for (const QChar digit : QString::number(std::abs(power))) text += kDigits[digit.digitValue()];
    return text;
}

// The smallest number of decimals that shows every tick exactly, at most six.
int decimalsOf(double step) {
    int decimals = 0;
    for (double scaled = step; decimals < 6 && std::abs(scaled - std::round(scaled)) > 1e-6 * scaled; scaled *= 10) {
        ++decimals;
    }
    return decimals;
}

// Linear ticks with labels in one unit and with the same number of decimals.
class LinearTicker : public QCPAxisTicker {
public:
    explicit LinearTicker(bool whole) : whole_(whole) {}

protected:
    double getTickStep(const QCPRange& range) override {
        const double step = QCPAxisTicker::getTickStep(range);
        return whole_ ? std::max(1.0, std::floor(step)) : step;
    }
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar, int) override {
        QVector<QString> labels;
        if (ticks.isEmpty()) return labels;
        const TickUnit unit = tickUnitOf(std::max(std::abs(ticks.front()), std::abs(ticks.back())));
        const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : ticks[0];
        const int decimals = decimalsOf(std::abs(step) / unit.size);
        for (const double tick : ticks) {
            const bool zero = std::abs(tick) < 1e-9 * std::abs(step);
            labels << (zero ? QStringLiteral("0") : QString::number(tick / unit.size, 'f', decimals) + unit.name);
        }
        return labels;
    }

private:
    const bool whole_;
};

class LogTicker : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        QVector<double> ticks;
        if (range.lower <= 0) return ticks;
        const double decades = std::log10(range.upper / range.lower);
        const QList<double> steps = decades > 3     ? QList<double>{1}
                                    : decades > 1.5 ? QList<double>{1, 3}
                                                    : QList<double>{1, 2, 3, 5, 7};
        const double every = 1 + std::floor(decades / kMostDecades);
        for (double decade = std::floor(std::log10(range.lower)); decade <= std::log10(range.upper); decade += every) {
            for (const double step : steps) {
                const double tick = step * std::pow(10.0, decade);
                if (tick >= range.lower && tick <= range.upper) ticks.append(tick);
            }
        }
        if (ticks.size() > 1) return ticks;
        // A range between two such ticks gets linear ones.
        ticks = QCPAxisTicker::createTickVector(QCPAxisTicker::getTickStep(range), range);
        ticks.removeIf([&range](double tick) { return tick < range.lower || tick > range.upper; });
        return ticks;
    }
    int getSubTickCount(double) override { return 0; }
    // Labels in one unit on a short axis, powers of ten on a long one.
    QVector<QString> createLabelVector(const QVector<double>& ticks, const QLocale&, QChar, int) override {
        QVector<QString> labels;
        if (ticks.isEmpty()) return labels;
        const bool isLong = ticks.back() / ticks.front() > 900;
        const bool asOnes = isLong && ticks.back() < 1e5 && ticks.front() > 9e-4;
        const bool asPowers = (isLong && !asOnes) || ticks.back() >= 1e12 || ticks.front() < 1e-4;
        const TickUnit unit = asOnes ? TickUnit() : tickUnitOf(ticks.back());
        for (const double tick : ticks) {
            if (!asPowers) {
                labels << QString::number(tick / unit.size, 'g', 5) + unit.name;
                continue;
            }
            const int power = static_cast<int>(std::floor(std::log10(tick) + 1e-9));
            const long factor = std::lround(tick / std::pow(10.0, power));
            labels << (factor == 1 ? QString() : QString::number(factor) + QStringLiteral("·")) + QStringLiteral("10") +
                          raised(power);
        }
        return labels;
    }

private:
    static constexpr double kMostDecades = 8;
};

class Log2Ticker : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        QVector<double> ticks;
        if (range.lower <= 0) return ticks;
        const double octaves = std::log2(range.upper / range.lower);
        const int step = 1 + static_cast<int>(octaves / kMostOctaves);
        for (double power = std::ceil(std::log2(range.lower)); power <= std::log2(range.upper); power += step) {
            ticks.append(std::exp2(power));
        }
        return ticks;
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return tickText(tick); }

private:
    static constexpr double kMostOctaves = 11;
};

constexpr double kShapeWidth = 6;  // width that QCustomPlot assumes for custom shapes

QPainterPath closedShape(int marker) {
    constexpr std::array<int, kCurveColors> kCorners{0, 4, 3, 4, 3, 5, 10};
    constexpr std::array<double, kCurveColors> kTurn{0, 0.125, 0, 0, 0.5, 0, 0};
    const auto index = static_cast<std::size_t>(marker);
    const int corners = kCorners[index];
    QPainterPath path;
    if (corners == 0) {
        path.addEllipse(QPointF(0, 0), kShapeWidth / 2, kShapeWidth / 2);
        return path;
    }
    QPolygonF polygon;
    for (int i = 0; i < corners; ++i) {
        const double angle = 2 * M_PI * (static_cast<double>(i) / corners + kTurn[index] - 0.25);
        const double radius = corners == 10 && i % 2 == 1 ? 1.8 : 3.7;  // the notches of a star
        polygon << QPointF(radius * std::cos(angle), radius * std::sin(angle));
    }
    path.addPolygon(polygon);
    path.closeSubpath();
    return path;
}

}  // namespace

TickUnit tickUnitOf(double largest) {
    if (largest >= 1e15 || (largest > 0 && largest < 1e-3)) {
        const int power = static_cast<int>(std::floor(std::log10(largest) + 1e-9));
        return {std::pow(10.0, power), QStringLiteral("·10") + raised(power)};
    }
    if (largest >= 1e12) return {1e12, QStringLiteral(" T")};
    if (largest >= 1e9) return {1e9, QStringLiteral(" G")};
    if (largest >= 1e6) return {1e6, QStringLiteral(" M")};
    if (largest >= 1e4) return {1e3, QStringLiteral(" k")};
    return {};
}

QString tickText(double value) {
    const double size = std::abs(value);
    if (size >= 1e9) return QString::number(value / 1e9, 'g', 3) + QStringLiteral(" G");
    if (size >= 1e6) return QString::number(value / 1e6, 'g', 3) + QStringLiteral(" M");
    if (size >= 1e4) return QString::number(value / 1e3, 'g', 3) + QStringLiteral(" k");
    return QString::number(value, 'g', 4);
}

QSharedPointer<QCPAxisTicker> tickerOf(Ticks ticks) {
    if (ticks == Ticks::Log) return QSharedPointer<QCPAxisTicker>(new LogTicker);
    if (ticks == Ticks::Log2) return QSharedPointer<QCPAxisTicker>(new Log2Ticker);
    return QSharedPointer<QCPAxisTicker>(new LinearTicker(ticks == Ticks::Whole));
}

// The patterns are short enough to be seen on both sides of the marker in a legend sample.
const QList<qreal>& dashOf(int dash) {
    static const std::array<QList<qreal>, kCurveColors> kPatterns{
        QList<qreal>{}, {4, 2}, {2, 1.2}, {4, 1.2, 1, 1.2}, {1, 1.2}, {1, 3}, {2.5, 1, 1, 1, 1, 1}};
    return kPatterns[static_cast<std::size_t>(dash)];
}

QPen strokeOf(const PlotStyle& style, CurveStyle curve) {
    QPen pen(style.curves[static_cast<std::size_t>(curve.color)], style.line);
    const QList<qreal>& dash = dashOf(curve.dash);
    if (!dash.isEmpty()) pen.setDashPattern(dash);
    pen.setCapStyle(Qt::FlatCap);
    return pen;
}

QPen guideStroke(const PlotStyle& style, int color) {
    QColor quiet = color == 0 ? style.muted : style.curves[static_cast<std::size_t>(color)];
    quiet.setAlphaF(0.7F);
    QPen pen(quiet, style.hair);
    pen.setDashPattern({6, 4});
    return pen;
}

QCPScatterStyle markerOf(const PlotStyle& style, CurveStyle curve, bool hollow) {
    const QColor color = style.curves[static_cast<std::size_t>(curve.color)];
    return {closedShape(curve.marker), QPen(color, style.hair * 1.3), QBrush(hollow ? style.ground : color),
            style.marker * 1.6};
}

void paintMarker(QPainter& painter, QPointF at, const PlotStyle& style, CurveStyle curve, bool hollow) {
    const QCPScatterStyle marker = markerOf(style, curve, hollow);
    painter.save();
    painter.translate(at);
    painter.scale(marker.size() / kShapeWidth, marker.size() / kShapeWidth);
    painter.setPen(marker.pen());
    painter.setBrush(marker.brush());
    painter.drawPath(marker.customPath());
    painter.restore();
}

void paintLineSample(QPainter& painter, const QRectF& area, const PlotStyle& style, CurveStyle curve, bool hollow) {
    painter.setPen(strokeOf(style, curve));
    painter.drawLine(QPointF(area.left(), area.center().y()), QPointF(area.right(), area.center().y()));
    paintMarker(painter, area.center(), style, curve, hollow);
}

// The skip saves computing the positions of all points at each frame, although none gets a marker.
BareLine::BareLine(QCPAxis* x, QCPAxis* y) : QCPGraph(x, y) { setScatterSkip(std::numeric_limits<int>::max() / 2); }

WholeMarkers::WholeMarkers(QCPAxis* x, QCPAxis* y, const QCPScatterStyle& marker) : QCPGraph(x, y) {
    setLineStyle(lsNone);
    setScatterStyle(marker);
    setAdaptiveSampling(false);
    removeFromLegend();
}

QRect WholeMarkers::clipRect() const {
    const int reach = static_cast<int>(std::ceil(scatterStyle().size()));
    return QCPGraph::clipRect().adjusted(-reach, -reach, reach, reach);
}

BandItem::BandItem(QCPLegend* legend, const QString& name, const QBrush& tint)
    : QCPAbstractLegendItem(legend), name_(name), tint_(tint) {
    setSelectable(false);
}

void BandItem::draw(QCPPainter* painter) {
    const QSize icon = mParentLegend->iconSize();
    painter->setPen(Qt::NoPen);
    painter->setBrush(tint_);
    painter->drawRect(QRect(mRect.topLeft(), icon).adjusted(4, 1, -4, -1));
    painter->setFont(mFont);
    painter->setPen(QPen(mTextColor));
    const int left = mRect.x() + icon.width() + mParentLegend->iconTextPadding();
    const int height = std::max(icon.height(), painter->fontMetrics().height());
    painter->drawText(QRect(left, mRect.y(), mRect.right() - left + 1, height), Qt::TextDontClip | Qt::AlignVCenter,
                      name_);
}

QSize BandItem::minimumOuterSizeHint() const {
    const QFontMetrics metrics(mFont);
    const QSize icon = mParentLegend->iconSize();
    const int width = icon.width() + mParentLegend->iconTextPadding() + metrics.horizontalAdvance(name_);
    return {width + mMargins.left() + mMargins.right(),
            std::max(icon.height(), metrics.height()) + mMargins.top() + mMargins.bottom()};
}

}  // namespace dasgd::gui
