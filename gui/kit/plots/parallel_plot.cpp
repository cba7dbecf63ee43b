#include "gui/kit/plots/parallel_plot.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "gui/kit/plots/chart_ticks.h"
#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr double kGrabAxis = 18;    // distance from an axis, in pixels, at which a press still grabs it
constexpr double kLeastBrush = 4;   // smallest drag in pixels; less is a click
constexpr double kBrushSteps = 10;  // steps of the keys along an axis
constexpr double kBrushWidth = 5;
constexpr double kWordGap = 5;          // between an axis and its labels
constexpr double kMostForWords = 0.25;  // largest share of the width for labels left of the first axis
constexpr double kLabelGround = 0.92;   // opacity behind labels, so that lines do not strike them through

// Width for the labels left of the first axis, where there are no lines.
double roomForWords(const QRectF& area, const ParallelPlot& plot, const QFontMetricsF& metrics) {
    double longest = 3 * metrics.height() - kWordGap;
    if (!plot.axes.empty() && plot.axes[0].kind == ParallelAxis::Kind::Category) {
        for (const QString& word : plot.axes[0].categories)
            longest = std::max(longest, metrics.horizontalAdvance(word));
    }
    return std::min(longest, std::max(kMostForWords * area.width(), 3 * metrics.height()));
}

double shareAlong(const ParallelAxis& axis, double value) {
    if (axis.kind == ParallelAxis::Kind::Category) {
        const auto n = static_cast<double>(axis.categories.size());
        return (value + 0.5) / std::max(1.0, n);
    }
    if (axis.kind == ParallelAxis::Kind::Log && axis.low > 0 && axis.high > axis.low) {
        return std::log(value / axis.low) / std::log(axis.high / axis.low);
    }
    return axis.high > axis.low ? (value - axis.low) / (axis.high - axis.low) : 0.5;
}

double valueAlong(const ParallelAxis& axis, double share) {
    if (axis.kind == ParallelAxis::Kind::Category) return share * static_cast<double>(axis.categories.size()) - 0.5;
    if (axis.kind == ParallelAxis::Kind::Log && axis.low > 0 && axis.high > axis.low) {
        return axis.low * std::pow(axis.high / axis.low, share);
    }
    return axis.low + share * (axis.high - axis.low);
}

// Position of a value on its axis: 0 at the lower end, 1 at the upper one; nullopt if it is absent or NaN.
std::optional<double> parallelShare(const ParallelAxis& axis, const std::optional<double>& value) {
    if (!value || !std::isfinite(*value)) return std::nullopt;
    return std::clamp(shareAlong(axis, *value), 0.0, 1.0);
}

// True if any line has no value on this axis.
bool hasGap(const ParallelPlot& plot, std::size_t axis) {
    return std::ranges::any_of(
        plot.lines, [&](const ParallelLine& line) { return !parallelShare(plot.axes[axis], line.values[axis]); });
}

void paintParallelAxis(QPainter& painter, const QRectF& area, const ParallelPlot& plot, std::size_t index,
                       const ParallelScale& scale, const PlotStyle& style) {
    const ParallelAxis& axis = plot.axes[index];
    const QFontMetricsF metrics(style.font);
    const double text = metrics.height();
    const double x = scale.x(index), bottom = scale.bottom(), top = scale.top(), room = scale.gap();
    painter.setPen(QPen(style.axis, style.hair * 1.4));
    painter.drawLine(QPointF(x, bottom), QPointF(x, top));
    painter.setFont(style.font);
    painter.setPen(style.text);
    const double own = room * scale.titleRows();
    const double half = std::min({own / 2 - 3, x - area.left() + room / 2, area.right() - x + room / 2});
    const double row = scale.titleRows() > 1 && index % 2 == 1 ? text : 0;
    painter.drawText(QRectF(x - half, area.top() + row, 2 * half, text), Qt::AlignCenter,
                     metrics.elidedText(axis.title, Qt::ElideMiddle, 2 * half));
    painter.setPen(style.muted);
    QColor ground = style.ground;  // translucent behind labels: the text is readable and lines stay visible
    ground.setAlphaF(kLabelGround);
    const bool before = index == 0 && axis.kind == ParallelAxis::Kind::Category;
    const double most = before ? scale.wordRoom() : room - 2 * kWordGap;
    const auto label = [&](double value, const QString& words) {
        const double y = scale.y(axis, value);
        painter.drawLine(QPointF(x - 3, y), QPointF(x, y));
        const QString cut = metrics.elidedText(words, Qt::ElideMiddle, most + 0.5);
        const double wide = metrics.horizontalAdvance(cut) + 2;
        const QRectF box(before ? x - kWordGap - wide : x + kWordGap - 1, y - text / 2, wide, text);
        painter.fillRect(box, ground);
        painter.drawText(box, Qt::AlignCenter, cut);
    };
    if (axis.kind == ParallelAxis::Kind::Category) {
        for (qsizetype i = 0; i < axis.categories.size(); ++i) label(static_cast<double>(i), axis.categories[i]);
    } else {
        const int count = std::clamp(static_cast<int>((bottom - top) / (2.6 * text)), 2, 6);
        const ChartTicks ticks = axis.kind == ParallelAxis::Kind::Log ? logTicks(axis.low, axis.high, count)
                                                                      : niceTicks(axis.low, axis.high, count);
        for (std::size_t i = 0; i < ticks.values.size(); ++i) {
            label(ticks.values[i], ticks.labels[static_cast<qsizetype>(i)]);
        }
    }
    if (hasGap(plot, index)) {
        painter.drawText(QRectF(x + 5, bottom + text * 0.4, room * 0.6, text), Qt::AlignLeft | Qt::AlignVCenter,
                         QStringLiteral("none"));
    }
}

void paintBrush(QPainter& painter, const ParallelPlot& plot, std::size_t index, const ParallelScale& scale,
                const PlotStyle& style) {
    if (index >= plot.brushes.size() || !plot.brushes[index]) return;
    const double x = scale.x(index);
    const double top = scale.y(plot.axes[index], plot.brushes[index]->second);
    const double bottom = scale.y(plot.axes[index], plot.brushes[index]->first);
    QColor tint = style.text;
    tint.setAlphaF(0.22F);
    painter.setPen(QPen(style.text, style.hair));
    painter.setBrush(tint);
    painter.drawRect(QRectF(x - kBrushWidth, top, 2 * kBrushWidth, bottom - top));
    painter.setBrush(Qt::NoBrush);
}

void paintParallelLine(QPainter& painter, const ParallelPlot& plot, const ParallelLine& line,
                       const ParallelScale& scale, const PlotStyle& style) {
    QPolygonF path;
    for (std::size_t axis = 0; axis < plot.axes.size(); ++axis) {
        path << QPointF(scale.x(axis), scale.y(plot.axes[axis], line.values[axis]));
    }
    QPen pen = strokeOf(style, line.style);
    QColor color = pen.color();
    const bool passes = plot.passes(line);
    color.setAlphaF(line.primary ? 1.0F : passes ? 0.75F : 0.1F);
    pen.setColor(color);
    pen.setWidthF(style.line * (line.primary ? 1.5 : passes ? 0.8 : 0.5));
    painter.setPen(pen);
    painter.drawPolyline(path);
}

bool isSame(const ParallelAxis& a, const ParallelAxis& b) {
    return a.key == b.key && (!a.key.empty() || a.title == b.title);
}

// The brush over the same categories, whose indices may have changed.
ParallelBrush carriedOver(const ParallelBrush& brush, const ParallelAxis& from, const ParallelAxis& to) {
    if (!brush || from.kind != to.kind) return std::nullopt;
    if (from.kind != ParallelAxis::Kind::Category || from.categories == to.categories) return brush;
    std::optional<std::pair<double, double>> places;
    for (qsizetype i = 0; i < from.categories.size(); ++i) {
        const auto old = static_cast<double>(i);
        const auto place = static_cast<double>(to.categories.indexOf(from.categories[i]));
        if (old < brush->first || old > brush->second || place < 0) continue;
        if (!places) places.emplace(place, place);
        places = std::pair(std::min(places->first, place), std::max(places->second, place));
    }
    if (!places) return std::nullopt;
    return std::pair(places->first - 0.5, places->second + 0.5);
}

}  // namespace

bool ParallelPlot::passes(const ParallelLine& line) const {
    for (std::size_t axis = 0; axis < std::min(brushes.size(), line.values.size()); ++axis) {
        if (!brushes[axis]) continue;
        const auto& value = line.values[axis];
        if (!value || *value < brushes[axis]->first || *value > brushes[axis]->second) return false;
    }
    return true;
}

ParallelScale::ParallelScale(const QRectF& area, const ParallelPlot& plot, const PlotStyle& style)
    : axes_(plot.axes.size()), width_(area.width()) {
    const QFontMetricsF metrics(style.font);
    const double text = metrics.height();
    wordRoom_ = roomForWords(area, plot, metrics);
    left_ = area.left() + wordRoom_ + kWordGap + 2;
    right_ = area.right() - 5 * text;
    bottom_ = area.bottom() - 2.2 * text;
    const auto isLong = [&](const ParallelAxis& axis) { return metrics.horizontalAdvance(axis.title) > gap() - 6; };
    titleRows_ = axes_ > 1 && std::ranges::any_of(plot.axes, isLong) ? 2 : 1;
    top_ = area.top() + (titleRows_ + 0.9) * text;
    absent_ = bottom_ + 0.9 * text;
}

double ParallelScale::x(std::size_t axis) const {
    if (axes_ < 2) return (left_ + right_) / 2;
    return left_ + (right_ - left_) * static_cast<double>(axis) / static_cast<double>(axes_ - 1);
}

double ParallelScale::gap() const { return axes_ > 1 ? std::abs(x(1) - x(0)) : width_; }

double ParallelScale::y(const ParallelAxis& axis, const std::optional<double>& value) const {
    const auto share = parallelShare(axis, value);
    return share ? bottom_ + (top_ - bottom_) * *share : absent_;
}

double ParallelScale::valueAt(const ParallelAxis& axis, double y) const {
    return valueAlong(axis, std::clamp((y - bottom_) / (top_ - bottom_), 0.0, 1.0));
}

void paintParallelPlot(QPainter& painter, const QRectF& area, const ParallelPlot& plot, const PlotStyle& style) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const ParallelScale scale(area, plot, style);
    // Lines outside of the brushes are painted first, the highlighted one last.
    for (const int pass : {0, 1, 2}) {
        for (const ParallelLine& line : plot.lines) {
            const int own = line.primary ? 2 : plot.passes(line) ? 1 : 0;
            if (own == pass) paintParallelLine(painter, plot, line, scale, style);
        }
    }
    for (std::size_t axis = 0; axis < plot.axes.size(); ++axis) {
        paintParallelAxis(painter, area, plot, axis, scale, style);
        paintBrush(painter, plot, axis, scale, style);
    }
    painter.restore();
}

void ParallelView::setPlot(ParallelPlot plot) {
    plot.brushes.assign(plot.axes.size(), std::nullopt);
    for (std::size_t i = 0; i < plot.axes.size(); ++i) {
        for (std::size_t old = 0; old < plot_.axes.size(); ++old) {
            if (!isSame(plot_.axes[old], plot.axes[i])) continue;
            plot.brushes[i] = carriedOver(plot_.brushes[old], plot_.axes[old], plot.axes[i]);
        }
    }
    if (plot == plot_) return;
    // A drag ends, since another axis or none may be under the pointer now.
    if (plot.axes != plot_.axes) pressedY_.reset();
    plot_ = std::move(plot);
    current_ = std::min(current_, plot_.axes.empty() ? 0 : plot_.axes.size() - 1);
    update();
}

void ParallelView::clearBrushes() {
    plot_.brushes.assign(plot_.axes.size(), std::nullopt);
    update();
    emit brushed();
}

void ParallelView::paintChart(QPainter& painter, const PlotStyle& style) {
    paintParallelPlot(painter, area(), plot_, style);
    if (!hasFocus()) return;
    const ParallelScale scale(area(), plot_, style);
    painter.setPen(QPen(theme().accent, 2));
    painter.drawLine(QPointF(scale.x(current_), scale.bottom()), QPointF(scale.x(current_), scale.top()));
}

void ParallelView::brush(std::size_t axis, ParallelBrush part) {
    plot_.brushes[axis] = part;
    update();
    emit brushed();
}

void ParallelView::moveBrush(int up, bool resize) {
    const ParallelAxis& axis = plot_.axes[current_];
    auto part = plot_.brushes[current_];
    const bool category = axis.kind == ParallelAxis::Kind::Category;
    const double step =
        category ? 1.0 / static_cast<double>(std::max<qsizetype>(1, axis.categories.size())) : 1 / kBrushSteps;
    double low = part ? shareAlong(axis, part->first) : 0, high = part ? shareAlong(axis, part->second) : 1;
    if (!part || resize) {
        // The first key press cuts a step off one end, so that its effect is visible at once.
        if (up > 0 && !part)
            low += step;
        else
            high = std::max(low + step, high + up * step);
    } else if (low + up * step >= -1e-9 && high + up * step <= 1 + 1e-9) {
        low += up * step;
        high += up * step;
    }
    brush(current_, std::pair(valueAlong(axis, std::max(0.0, low)), valueAlong(axis, std::min(1.0, high))));
}

void ParallelView::keyPressEvent(QKeyEvent* event) {
    if (plot_.axes.empty()) return QWidget::keyPressEvent(event);
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
        case Qt::Key_Left: current_ -= current_ > 0 ? 1 : 0; break;
        case Qt::Key_Right: current_ = std::min(current_ + 1, plot_.axes.size() - 1); break;
        case Qt::Key_Up: return moveBrush(1, shift);
        case Qt::Key_Down: return moveBrush(-1, shift);
        case Qt::Key_Escape: return brush(current_, std::nullopt);
        default: return QWidget::keyPressEvent(event);
    }
    update();
}

void ParallelView::mousePressEvent(QMouseEvent* event) {
    const ParallelScale scale(area(), plot_, plotStyle());
    for (std::size_t axis = 0; axis < plot_.axes.size(); ++axis) {
        if (std::abs(scale.x(axis) - event->position().x()) > kGrabAxis) continue;
        current_ = axis;
        pressedY_ = event->position().y();
        update();
        return;
    }
}

void ParallelView::mouseMoveEvent(QMouseEvent* event) {
    if (!pressedY_ || current_ >= plot_.brushes.size() || std::abs(event->position().y() - *pressedY_) < kLeastBrush)
        return;
    const ParallelScale scale(area(), plot_, plotStyle());
    const double a = scale.valueAt(plot_.axes[current_], *pressedY_);
    const double b = scale.valueAt(plot_.axes[current_], event->position().y());
    plot_.brushes[current_] = std::pair(std::min(a, b), std::max(a, b));
    update();
}

void ParallelView::mouseReleaseEvent(QMouseEvent* event) {
    if (!pressedY_ || current_ >= plot_.brushes.size()) return;
    const bool click = std::abs(event->position().y() - *pressedY_) < kLeastBrush;
    pressedY_.reset();
    if (click) plot_.brushes[current_].reset();
    update();
    emit brushed();
}

}  // namespace dasgd::gui
