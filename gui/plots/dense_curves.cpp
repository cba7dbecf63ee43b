#include "gui/plots/dense_curves.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "gui/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kBlock = 8;  // points
constexpr float kEndless = std::numeric_limits<float>::infinity();

// The first point at or after x, near `from`.
std::size_t firstFrom(const std::vector<double>& xs, std::size_t from, double x) {
    std::size_t step = 16;
    while (from + step < xs.size() && xs[from + step] < x) {
        from += step;
        step *= 2;
    }
    const auto end = xs.begin() + static_cast<std::ptrdiff_t>(std::min(from + step, xs.size()));
    return static_cast<std::size_t>(std::lower_bound(xs.begin() + static_cast<std::ptrdiff_t>(from), end, x) -
                                    xs.begin());
}

}  // namespace

DenseCurves::DenseCurves(QCPAxis* x, QCPAxis* y, const std::vector<const Curve*>& curves, const PlotStyle& style)
    : QCPAbstractPlottable(x, y), width_(std::max(1, static_cast<int>(std::lround(style.line / 2)))) {
    for (const Curve* curve : curves) {
        const QPen pen = strokeOf(style, curve->style);
        QColor color = pen.color();
        if (curve->faded) color.setAlphaF(0.22F);
        Line line{.curve = curve, .color = qPremultiply(color.rgba())};
        for (const qreal part : pen.style() == Qt::CustomDashLine ? pen.dashPattern() : QList<qreal>{}) {
            line.dash.push_back(std::max(1, static_cast<int>(std::lround(part * style.line))));
        }
        const std::vector<double>& ys = curve->line.y;
        for (std::size_t begin = 0; begin < ys.size(); begin += kBlock) {
            float low = kEndless, high = -kEndless;
            for (std::size_t i = begin; i < std::min(begin + kBlock, ys.size()); ++i) {
                // NaN fails both comparisons.
                if (ys[i] < low) low = static_cast<float>(ys[i]);
                if (ys[i] > high) high = static_cast<float>(ys[i]);
            }
            line.low.push_back(low);
            line.high.push_back(high);
        }
        lines_.push_back(std::move(line));
    }
}

QCPRange DenseCurves::getKeyRange(bool& found, QCP::SignDomain) const {
    found = false;
    return {};
}

QCPRange DenseCurves::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const {
    found = false;
    return {};
}

DenseCurves::Span DenseCurves::spanOf(const Line& line, std::size_t from, std::size_t to) {
    const std::vector<double>& ys = line.curve->line.y;
    Span span{kEndless, -kEndless};
    const auto take = [&span](double low, double high) {
        if (low < span.low) span.low = low;
        if (high > span.high) span.high = high;
    };
    for (std::size_t i = from; i < to;) {
        if (i % kBlock == 0 && i + kBlock <= to) {
            take(line.low[i / kBlock], line.high[i / kBlock]);
            i += kBlock;
        } else {
            take(ys[i], ys[i]);
            ++i;
        }
    }
    return span;
}

void DenseCurves::paintLine(const Line& line, QImage& image, QPoint origin) const {
    const std::vector<double>&xs = line.curve->line.x, &ys = line.curve->line.y;
    if (xs.size() < 2) return;
    const QCPRange keys = keyAxis()->range(), values = valueAxis()->range();
    const bool isLog = valueAxis()->scaleType() == QCPAxis::stLogarithmic;
    const double perPixel = keys.size() / image.width();
    const double low = isLog ? std::log(values.lower) : values.lower;
    const double scale = (image.height() - 1) / ((isLog ? std::log(values.upper) : values.upper) - low);
    const auto rowOf = [&](double value) {
        const double up = ((isLog ? std::log(static_cast<float>(value)) : value) - low) * scale;
        return image.height() - 1 - static_cast<int>(std::lround(std::clamp(up, -4.0, image.height() + 4.0)));
    };
    const int period = std::accumulate(line.dash.begin(), line.dash.end(), 0);
    const auto isGap = [&](int column) {
        int at = (column + origin.x()) % std::max(1, period);
        for (std::size_t part = 0; part < line.dash.size(); ++part) {
            if ((at -= line.dash[part]) < 0) return part % 2 == 1;
        }
        return false;
    };
    auto* pixels = reinterpret_cast<QRgb*>(image.bits());
    const auto stride = static_cast<std::ptrdiff_t>(image.bytesPerLine() / 4);
    std::size_t next = firstFrom(xs, 0, keys.lower);
    for (int column = 0; column < image.width(); ++column) {
        const double left = keys.lower + perPixel * column;
        const std::size_t end = firstFrom(xs, next, left + perPixel);
        Span span = spanOf(line, next, end);
        if (next > 0 && next < xs.size()) {
            // From the point before: on the straight line at the column's left edge.
            const double share = (left - xs[next - 1]) / (xs[next] - xs[next - 1]);
            const double entry = ys[next - 1] + std::clamp(share, 0.0, 1.0) * (ys[next] - ys[next - 1]);
            if (entry < span.low) span.low = entry;
            if (entry > span.high) span.high = entry;
        }
        next = end;
        if (!(span.low <= span.high) || (period > 0 && isGap(column))) continue;
        const int top = std::max(0, rowOf(span.high));
        const int bottom =
            std::min(image.height() - 1, rowOf(isLog && span.low <= 0 ? values.lower : span.low) + width_ - 1);
        QRgb* at = pixels + top * stride + column;
        for (int row = top; row <= bottom; ++row, at += stride) *at = line.color;
    }
}

void DenseCurves::draw(QCPPainter* painter) {
    const QRect area = keyAxis()->axisRect()->rect();
    if (area.isEmpty()) return;
    QImage image(area.size(), QImage::Format_ARGB32_Premultiplied);
    image.fill(Qt::transparent);
    for (const Line& line : lines_) paintLine(line, image, area.topLeft());
    painter->drawImage(area.topLeft(), image);
}

}  // namespace dasgd::gui
