#include "gui/kit/plots/dense_curves.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "gui/kit/plots/plot_marks.h"

namespace dasgd::gui {

namespace {

constexpr std::size_t kBlock = 8;  // points in a block whose lowest and highest y are stored
constexpr float kEndless = std::numeric_limits<float>::infinity();

// Index of the first point at or after x, searched from `from` on.
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
                // A NaN fails both comparisons and is skipped.
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

std::optional<long> DenseCurves::shift(QSize size) const {
    constexpr double kExact = 1e-6;  // tolerance in pixels
    const QCPRange keys = keyAxis()->range(), values = valueAxis()->range();
    const bool isLog = valueAxis()->scaleType() == QCPAxis::stLogarithmic;
    if (image_.size() != size || isLog != isLog_ || values != values_) return std::nullopt;
    const double by = (keys.lower - grid_.left(0)) / grid_.perPixel;
    const double stretched = keys.size() / grid_.perPixel - size.width();
    const bool kept = std::abs(by) < size.width() && std::abs(by - std::round(by)) < kExact;
    return kept && std::abs(stretched) < kExact ? std::optional(std::lround(by)) : std::nullopt;
}

void DenseCurves::draw(QCPPainter* painter) {
    const QRect area = keyAxis()->axisRect()->rect();
    if (area.isEmpty()) return;
    const int width = area.width();
    columns_ = 0;
    if (const auto by = shift(area.size())) {
        const int kept = width - static_cast<int>(std::abs(*by));
        for (int row = 0; row < area.height() && *by != 0; ++row) {
            auto* line = reinterpret_cast<QRgb*>(image_.scanLine(row));
            std::memmove(*by > 0 ? line : line - *by, *by > 0 ? line + *by : line,
                         static_cast<std::size_t>(kept) * sizeof(QRgb));
        }
        grid_.first += *by;
        paintColumns(*by > 0 ? kept : 0, *by > 0 ? width : width - kept);
    } else {
        image_ = QImage(area.size(), QImage::Format_ARGB32_Premultiplied);
        values_ = valueAxis()->range();
        isLog_ = valueAxis()->scaleType() == QCPAxis::stLogarithmic;
        const QCPRange keys = keyAxis()->range();
        const double perPixel = keys.size() / width;
        // Columns are counted from x = 0, so that dashes do not move when the plot is panned.
        const long first = std::lround(keys.lower / perPixel);
        grid_ = {keys.lower - static_cast<double>(first) * perPixel, perPixel, first};
        paintColumns(0, width);
    }
    painter->drawImage(area.topLeft(), image_);
}

void DenseCurves::paintColumns(int from, int to) {
    columns_ = to - from;
    for (int row = 0; row < image_.height(); ++row) {
        auto* line = reinterpret_cast<QRgb*>(image_.scanLine(row));
        std::fill(line + from, line + to, QRgb{0});
    }
    for (const Line& line : lines_) paintLine(line, from, to);
}

void DenseCurves::paintLine(const Line& line, int from, int to) {
    const std::vector<double>&xs = line.curve->line.x, &ys = line.curve->line.y;
    if (xs.size() < 2) return;
    const int height = image_.height();
    const double low = isLog_ ? std::log(values_.lower) : values_.lower;
    const double scale = (height - 1) / ((isLog_ ? std::log(values_.upper) : values_.upper) - low);
    const auto rowOf = [&](double value) {
        const double up = ((isLog_ ? std::log(static_cast<float>(value)) : value) - low) * scale;
        return height - 1 - static_cast<int>(std::lround(std::clamp(up, -4.0, height + 4.0)));
    };
    const int period = std::accumulate(line.dash.begin(), line.dash.end(), 0);
    const auto isGap = [&](int column) {
        long at = (grid_.first + column) % std::max(1, period);
        if (at < 0) at += period;
        for (std::size_t part = 0; part < line.dash.size(); ++part) {
            if ((at -= line.dash[part]) < 0) return part % 2 == 1;
        }
        return false;
    };
    auto* pixels = reinterpret_cast<QRgb*>(image_.bits());
    const auto stride = static_cast<std::ptrdiff_t>(image_.bytesPerLine() / 4);
    std::size_t next = firstFrom(xs, 0, grid_.left(from));
    for (int column = from; column < to; ++column) {
        const double left = grid_.left(column);
        const std::size_t end = firstFrom(xs, next, grid_.left(column + 1));
        Span span = spanOf(line, next, end);
        if (next > 0 && next < xs.size()) {
            // The line enters the column at its left edge, on the way from the point before.
            const double share = (left - xs[next - 1]) / (xs[next] - xs[next - 1]);
            const double entry = ys[next - 1] + std::clamp(share, 0.0, 1.0) * (ys[next] - ys[next - 1]);
            if (entry < span.low) span.low = entry;
            if (entry > span.high) span.high = entry;
        }
        next = end;
        if (!(span.low <= span.high) || (period > 0 && isGap(column))) continue;
        const int top = std::max(0, rowOf(span.high));
        const int bottom = std::min(height - 1, rowOf(isLog_ && span.low <= 0 ? values_.lower : span.low) + width_ - 1);
        QRgb* at = pixels + top * stride + column;
        for (int row = top; row <= bottom; ++row, at += stride) *at = line.color;
    }
}

}  // namespace dasgd::gui
