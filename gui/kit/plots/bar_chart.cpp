#include "gui/kit/plots/bar_chart.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/kit/words/short_names.h"

namespace dasgd::gui {

namespace {

// Sizes in heights of a line of text, so that screen and paper have the same proportions.
constexpr double kBarRow = 1.62, kBarShare = 0.58, kAxisRows = 2.6, kSampleWidth = 2.4, kGapWidth = 0.7;
constexpr double kLabelShare = 0.34;  // share of the width that labels always get
constexpr double kLeastBars = 0.13;   // share of the width that longer labels leave to the bars
// Areas narrower than kNarrow lines of text, such as a column of a paper with wide margins, have shorter samples.
constexpr double kNarrow = 22, kNarrowSample = 1.7, kNarrowLabels = 0.37;

struct BarLayout {
    double row = 0, text = 0;          // heights
    double sample = 0;                 // width of a sample with the gap behind it
    double labelScale = 1;             // factor on the text size of the labels
    QRectF plot;                       // area from 0 to the end of the axis
    double labelRight = 0;             // right edge of the labels
    double ratioRight = 0, right = 0;  // right edges of the columns behind the bars
    double end = 1;                    // value at the right edge of `plot`
    QStringList labels;
    [[nodiscard]] double xAt(double value) const { return plot.left() + plot.width() * value / end; }
    [[nodiscard]] QRectF rowAt(const QRectF& area, std::size_t i) const {
        return {area.left(), plot.top() + row * static_cast<double>(i), area.width(), row};
    }
};

QFont fontOf(const Bar& bar, const PlotStyle& style) {
    QFont font = style.legendFont;
    if (bar.primary) font.setWeight(QFont::DemiBold);
    return font;
}

// Left edge of the words of a bar.
double wordsLeftOf(const BarChart& chart, const Bar& bar, const BarLayout& layout) {
    const double gap = layout.text * kGapWidth;
    return bar.value ? layout.xAt(chart.whiskerHigh(bar)) + gap : layout.plot.left() + gap / 2;
}

// The font scaled down to whole pixels, which are points on paper.
QFont scaledFont(QFont font, double scale) {
    if (scale < 1) font.setPixelSize(std::max(1, static_cast<int>(font.pixelSize() * scale + 1e-6)));
    return font;
}

double widestOf(const QFontMetricsF& metrics, const std::vector<Bar>& bars, QString Bar::*text) {
    double widest = 0;
    for (const Bar& bar : bars) widest = std::max(widest, metrics.horizontalAdvance(bar.*text));
    return widest;
}

// Sets the labels: they get their share of the width and the room that bars do not need; long ones are first set a
// point smaller, then cut.
void takeLabels(BarLayout& out, const QRectF& area, const BarChart& chart, const QFont& font, double wordsRight) {
    const QFontMetricsF metrics(font);
    const double gap = out.text * kGapWidth;
    const double words = widestOf(metrics, chart.bars, &Bar::words) + gap;
    const double spare = wordsRight - area.left() - words - gap - kLeastBars * area.width();
    const double share = area.width() < kNarrow * out.text ? kNarrowLabels : kLabelShare;
    const double room = std::max(share * area.width(), spare) - out.sample - gap;
    const int size = font.pixelSize();
    if (size > 1 && widestOf(metrics, chart.bars, &Bar::label) > room)
        out.labelScale = static_cast<double>(size - 1) / size;
    QStringList names;
    for (const Bar& bar : chart.bars) names << bar.label;
    const auto widthOf = [&](const QString& text) { return metrics.horizontalAdvance(text) * out.labelScale; };
    out.labels = namesThatFit(names, room, widthOf);
    double widest = 0;
    for (const QString& label : out.labels) widest = std::max(widest, widthOf(label));
    out.labelRight = area.left() + out.sample + gap + widest;
}

BarLayout layOutBars(const QRectF& area, const BarChart& chart, const PlotStyle& style) {
    const QFontMetricsF metrics(style.legendFont);
    BarLayout out;
    out.text = metrics.height();
    const auto n = static_cast<double>(std::max<std::size_t>(1, chart.bars.size()));
    out.row = std::min(out.text * kBarRow, std::max(out.text, (area.height() - kAxisRows * out.text) / n));
    const double gap = out.text * kGapWidth;
    out.sample = out.text * (area.width() < kNarrow * out.text ? kNarrowSample : kSampleWidth);
    out.right = area.right();
    const double count = widestOf(metrics, chart.bars, &Bar::count), ratio = widestOf(metrics, chart.bars, &Bar::ratio);
    out.ratioRight = out.right - (count > 0 ? count + gap : 0);
    const double wordsRight = out.ratioRight - (ratio > 0 ? ratio + gap : 0);
    takeLabels(out, area, chart, style.legendFont, wordsRight);
    const double left = out.labelRight + gap;
    const double wide = wordsRight - left;
    // End of the axis, chosen so that every bar has room for the words behind it.
    double end = 0;
    for (const Bar& bar : chart.bars) {
        if (!bar.value) continue;
        const double top = chart.whiskerHigh(bar);
        const double words = metrics.horizontalAdvance(bar.words) + gap;
        end = std::max(end, top * wide / std::max(wide * 0.3, wide - words));
    }
    out.end = end > 0 ? end : 1;
    out.plot = QRectF(left, area.top(), std::max(1.0, wide), out.row * n);
    return out;
}

ChartTicks ticksOf(const BarChart& chart, const BarLayout& layout) {
    const double end = chart.axisEnd(layout.end);
    const double width = layout.xAt(end) - layout.plot.left();
    const int count = static_cast<int>(width / (4 * layout.text));
    // If the ticks end before the drawn axis, fewer fit; those at both ends are always there.
    return niceTicks(0, end, std::clamp(count, end < layout.end ? 1 : 3, 6));
}

// Paints a gridline with gaps where it would strike through words.
void paintGridline(QPainter& painter, double x, const QRectF& area, const BarChart& chart, const PlotStyle& style,
                   const BarLayout& layout) {
    QPainterPath line(QPointF(x, layout.plot.top()));
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        const Bar& bar = chart.bars[i];
        const double left = wordsLeftOf(chart, bar, layout);
        const double words = QFontMetricsF(fontOf(bar, style)).horizontalAdvance(bar.words);
        const double below = layout.rowAt(area, i).bottom();
        const bool isCrossed = x > left - 1 && x < left + words + 1;
        if (isCrossed) {
            line.moveTo(x, below);
        } else {
            line.lineTo(x, below);
        }
    }
    painter.setPen(QPen(style.grid, style.hair));
    painter.setBrush(Qt::NoBrush);
    painter.drawPath(line);
}

void paintAxis(QPainter& painter, const QRectF& area, const BarChart& chart, const PlotStyle& style,
               const BarLayout& layout) {
    const QFontMetricsF metrics(style.font);
    const ChartTicks ticks = ticksOf(chart, layout);
    painter.setFont(style.font);
    for (std::size_t i = 0; i < ticks.values.size(); ++i) {
        const double x = layout.xAt(ticks.values[i]);
        paintGridline(painter, x, area, chart, style, layout);
        const QString& label = ticks.labels[static_cast<qsizetype>(i)];
        const double half = metrics.horizontalAdvance(label) / 2 + 1;
        painter.setPen(style.muted);
        painter.drawText(QRectF(x - half, layout.plot.bottom() + 2, 2 * half, layout.text), Qt::AlignCenter, label);
    }
    painter.setPen(style.muted);
    const QRectF title = titleRow(area, layout.plot.left(), layout.plot.right(), layout.plot.bottom() + layout.text + 2,
                                  layout.text, chart.axis, metrics);
    painter.drawText(title, Qt::AlignCenter, metrics.elidedText(chart.axis, Qt::ElideRight, title.width()));
}

void paintWhisker(QPainter& painter, const BarChart& chart, const Bar& bar, const PlotStyle& style,
                  const BarLayout& layout, double middle) {
    if (!bar.interval || !(*bar.interval > 0)) return;
    const double left = layout.xAt(chart.whiskerLow(bar));
    const double right = layout.xAt(chart.whiskerHigh(bar));
    const double half = layout.row * 0.14;
    painter.setPen(QPen(style.text, style.hair * 1.3));
    painter.drawLine(QPointF(left, middle), QPointF(right, middle));
    for (const double x : {left, right}) painter.drawLine(QPointF(x, middle - half), QPointF(x, middle + half));
}

void paintBar(QPainter& painter, const QRectF& row, const BarChart& chart, std::size_t place, const PlotStyle& style,
              const BarLayout& layout) {
    const Bar& bar = chart.bars[place];
    const QString& label = layout.labels[static_cast<qsizetype>(place)];
    const double middle = row.center().y();
    const double gap = layout.text * kGapWidth;
    const QColor color = style.curves[static_cast<std::size_t>(bar.style.color)];
    const QFont font = fontOf(bar, style);
    painter.setFont(font);
    paintLineSample(painter, {row.left() + 1, middle - layout.text / 2, layout.sample - gap, layout.text}, style,
                    bar.style, bar.hollow);
    painter.setPen(style.text);
    painter.setFont(scaledFont(font, layout.labelScale));
    painter.drawText(QRectF(row.left(), row.top(), layout.labelRight - row.left(), row.height()),
                     Qt::AlignRight | Qt::AlignVCenter, label);
    painter.setFont(font);
    const double wordsLeft = wordsLeftOf(chart, bar, layout);
    if (bar.value) {
        const double thick = layout.row * kBarShare;
        const QRectF box(layout.plot.left(), middle - thick / 2, layout.xAt(*bar.value) - layout.plot.left(), thick);
        QColor fill = color;
        fill.setAlphaF(bar.hollow ? 0.18F : 0.85F);
        painter.setPen(QPen(color, style.hair * (bar.hollow ? 1.4 : 1)));
        painter.setBrush(fill);
        painter.drawRect(box);
        painter.setBrush(Qt::NoBrush);
        paintWhisker(painter, chart, bar, style, layout, middle);
    }
    const double wordsRight = layout.plot.right() + (bar.value ? 0 : gap);
    painter.setPen(bar.value ? style.text : style.muted);
    // Numbers are never cut, since fewer digits would be another number. Without a bar, tight words are cut to the
    // reason before the colon.
    const double room = wordsRight - wordsLeft;
    const QFontMetricsF metrics(font);
    const bool tight = !bar.value && metrics.horizontalAdvance(bar.words) > room;
    const QString words = tight ? bar.words.section(QLatin1Char(':'), 0, 0) : bar.words;
    const double needed = metrics.horizontalAdvance(words);
    if (needed > room && room > 0) painter.setFont(scaledFont(font, room / needed));
    painter.drawText(QRectF(wordsLeft, row.top(), room, row.height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextDontClip, words);
    painter.setFont(style.legendFont);
    painter.setPen(style.muted);
    painter.drawText(QRectF(wordsRight, row.top(), layout.ratioRight - wordsRight, row.height()),
                     Qt::AlignRight | Qt::AlignVCenter, bar.ratio);
    painter.drawText(QRectF(layout.ratioRight, row.top(), layout.right - layout.ratioRight, row.height()),
                     Qt::AlignRight | Qt::AlignVCenter, bar.count);
}

}  // namespace

double BarChart::whiskerLow(const Bar& bar) const { return std::max(0.0, *bar.value - bar.interval.value_or(0)); }

double BarChart::whiskerHigh(const Bar& bar) const {
    const double high = *bar.value + bar.interval.value_or(0);
    return most ? std::max(*bar.value, std::min(high, *most)) : high;
}

double BarChart::axisEnd(double drawn) const {
    const auto isPast = [this](const Bar& bar) { return bar.value && *bar.value > *most; };
    return most && std::ranges::none_of(bars, isPast) ? std::min(drawn, *most) : drawn;
}

double barChartHeight(const BarChart& chart, const PlotStyle& style) {
    const double text = QFontMetricsF(style.legendFont).height();
    return text * (kBarRow * static_cast<double>(chart.bars.size()) + kAxisRows);
}

void paintBarChart(QPainter& painter, const QRectF& area, const BarChart& chart, const PlotStyle& style) {
    const BarLayout layout = layOutBars(area, chart, style);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    paintAxis(painter, area, chart, style, layout);
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        paintBar(painter, layout.rowAt(area, i), chart, i, style, layout);
    }
    painter.restore();
}

ChartTicks barTicks(const QRectF& area, const BarChart& chart, const PlotStyle& style) {
    return ticksOf(chart, layOutBars(area, chart, style));
}

std::optional<std::size_t> barAt(const QRectF& area, const BarChart& chart, const PlotStyle& style, QPointF at) {
    const BarLayout layout = layOutBars(area, chart, style);
    for (std::size_t i = 0; i < chart.bars.size(); ++i) {
        if (layout.rowAt(area, i).contains(at)) return i;
    }
    return std::nullopt;
}

void BarView::setChart(BarChart chart) {
    if (chart == chart_) return;
    chart_ = std::move(chart);
    current_ = std::min(current_, chart_.bars.empty() ? 0 : chart_.bars.size() - 1);
    setMinimumHeight(static_cast<int>(std::ceil(barChartHeight(chart_, plotStyle()))));
    describe();
    update();
}

void BarView::describe() {
    QStringList lines{chart_.axis};
    for (const Bar& bar : chart_.bars)
        lines << bar.label + QStringLiteral("  ") + bar.words + QLatin1Char(' ') + bar.ratio;
    setAccessibleDescription(lines.join(QLatin1Char('\n')));
}

void BarView::paintChart(QPainter& painter, const PlotStyle& style) {
    if (hasFocus()) painter.fillRect(layOutBars(area(), chart_, style).rowAt(area(), current_), theme().raised);
    paintBarChart(painter, area(), chart_, style);
}

void BarView::keyPressEvent(QKeyEvent* event) {
    if (chart_.bars.empty()) return QWidget::keyPressEvent(event);
    switch (event->key()) {
        case Qt::Key_Up: current_ -= current_ > 0 ? 1 : 0; break;
        case Qt::Key_Down: current_ = std::min(current_ + 1, chart_.bars.size() - 1); break;
        case Qt::Key_Return:
        case Qt::Key_Enter: emit chosen(current_); return;
        default: return QWidget::keyPressEvent(event);
    }
    update();
}

void BarView::mousePressEvent(QMouseEvent* event) {
    const auto bar = barAt(area(), chart_, plotStyle(), event->position());
    if (!bar) return;
    current_ = *bar;
    emit chosen(*bar);
}

void BarView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto bar = barAt(area(), chart_, plotStyle(), event->position())) emit opened(*bar);
}

}  // namespace dasgd::gui
