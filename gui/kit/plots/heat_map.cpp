#include "gui/kit/plots/heat_map.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/kit/plots/chart_ticks.h"
#include "gui/kit/plots/plot_marks.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

// Nine anchors of viridis (CC0); interpolation between them shows no visible steps.
constexpr std::array<QRgb, 9> kViridis{0xff440154, 0xff472d7b, 0xff3b528b, 0xff2c728e, 0xff21918c,
                                       0xff28ae80, 0xff5ec962, 0xffaddc30, 0xfffde725};
constexpr double kHighestCell = 3.4;  // largest height of a cell, in lines of text
constexpr int kLeastCellText = 5;     // smallest text size, in pixels or points of a page
constexpr double kScaleWidth = 0.9;   // width of the colour scale, in heights of a line of text
constexpr int kNoiseOfScale = 4;
constexpr double kLeastShare = 0.02;

struct HeatLayout {
    double text = 0;
    QRectF cells, scale;
    double wide = 1, high = 1;  // size of a cell
    HeatEnds ends;
    [[nodiscard]] QRectF cellAt(std::size_t row, std::size_t column) const {
        return {cells.left() + wide * static_cast<double>(column), cells.top() + high * static_cast<double>(row), wide,
                high};
    }
};

// Least distance of the ends of the colour scale, and its meaning in words.
struct LeastScale {
    double wide = 0;
    QString words;
};

LeastScale leastOf(const HeatMap& map, double middle) {
    if (map.exact) return {};
    if (map.noise > 0)
        return {kNoiseOfScale * map.noise,
                QStringLiteral("%1 standard errors of a cell over seeds").arg(kNoiseOfScale)};
    const double lacking = std::abs(map.whole - middle);
    if (map.whole > 0 && lacking < std::abs(middle))
        return {kLeastShare * lacking,
                QStringLiteral("%1 % of what is lacking to %2").arg(100 * kLeastShare).arg(map.whole)};
    return {kLeastShare * std::abs(middle), QStringLiteral("%1 % of the value").arg(100 * kLeastShare)};
}

double widest(const QFontMetricsF& metrics, const QStringList& texts) {
    double most = 0;
    for (const QString& text : texts) most = std::max(most, metrics.horizontalAdvance(text));
    return most;
}

HeatLayout layOutHeat(const QRectF& area, const HeatMap& map, const PlotStyle& style) {
    const QFontMetricsF metrics(style.font);
    HeatLayout out;
    out.text = metrics.height();
    out.ends = endsOf(map);
    const double gap = out.text * 0.7;
    const double left = widest(metrics, map.rows) + gap;
    const double scaleText =
        std::max(metrics.horizontalAdvance(tickText(out.ends.low)), metrics.horizontalAdvance(tickText(out.ends.high)));
    const double right = out.text * kScaleWidth + scaleText + 2 * gap;
    const auto rows = static_cast<double>(std::max<qsizetype>(1, map.rows.size()));
    const auto columns = static_cast<double>(std::max<qsizetype>(1, map.columns.size()));
    out.wide = std::max(1.0, (area.width() - left - right) / columns);
    out.high = std::clamp((area.height() - 2.6 * out.text) / rows, 1.0, kHighestCell * out.text);
    out.cells = {area.left() + left, area.top(), out.wide * columns, out.high * rows};
    out.scale = {out.cells.right() + gap, out.cells.top(), out.text * kScaleWidth, out.cells.height()};
    return out;
}

QColor inkOn(const QColor& color) {
    const double light = 0.2126 * color.redF() + 0.7152 * color.greenF() + 0.0722 * color.blueF();
    return light > 0.42 ? QColor(0x10, 0x12, 0x16) : QColor(Qt::white);
}

void paintMissing(QPainter& painter, const QRectF& box, const PlotStyle& style) {
    QColor faint = style.muted;
    faint.setAlphaF(0.45F);
    painter.save();
    painter.setClipRect(box);
    painter.setPen(QPen(faint, style.hair * 0.8));
    for (double x = box.left() - box.height(); x < box.right(); x += 6) {
        painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
    }
    painter.restore();
}

void paintCell(QPainter& painter, const QRectF& box, const HeatCell& cell, const HeatMap& map, const HeatLayout& layout,
               const PlotStyle& style) {
    if (!cell.value || !std::isfinite(*cell.value)) {
        paintMissing(painter, box, style);
        painter.setPen(style.muted);
        const QFontMetricsF metrics(style.font);
        const bool two = !cell.text.isEmpty() && !cell.under.isEmpty() && box.height() > 2.2 * layout.text &&
                         metrics.horizontalAdvance(cell.under) <= box.width();
        painter.drawText(box, Qt::AlignCenter, two ? cell.text + QLatin1Char('\n') + cell.under : cell.text);
        return;
    }
    const QColor color = viridis(layout.ends.shareOf(*cell.value, map.lowIsGood));
    painter.setPen(cell.primary ? QPen(style.text, style.hair * 2) : QPen(Qt::NoPen));
    painter.setBrush(color);
    painter.drawRoundedRect(box, 2, 2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(inkOn(color));
    QFont font = style.font;
    if (cell.primary) font.setWeight(QFont::DemiBold);
    // A number too wide for its cell is set smaller, down to kLeastCellText.
    const double wide = QFontMetricsF(font).horizontalAdvance(cell.text);
    if (const double fits = box.width() - 2; wide > fits)
        font.setPixelSize(std::max(kLeastCellText, static_cast<int>(font.pixelSize() * fits / wide)));
    painter.setFont(font);
    const QFontMetricsF metrics(font);
    const bool two = !cell.under.isEmpty() && box.height() > 2.2 * layout.text;
    const double top = two ? box.center().y() - layout.text : box.center().y() - layout.text / 2;
    const auto line = [&](double y, const QString& text) {
        if (metrics.horizontalAdvance(text) > box.width()) return;
        painter.drawText(QRectF(box.left(), y, box.width(), layout.text), Qt::AlignCenter, text);
    };
    line(top, cell.text);
    if (two) line(top + layout.text, cell.under);
    if (!cell.incomplete) return;
    const double size = layout.text * 0.45;
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0xd5, 0x5e, 0x00));
    painter.drawPolygon(
        QPolygonF{box.topRight(), box.topRight() - QPointF(size, 0), box.topRight() + QPointF(0, size)});
    painter.setBrush(Qt::NoBrush);
}

void paintScale(QPainter& painter, const HeatMap& map, const HeatLayout& layout, const PlotStyle& style) {
    const auto [low, high, widened] = layout.ends;
    if (!(low <= high)) return;
    QLinearGradient ramp(layout.scale.topLeft(), layout.scale.bottomLeft());
    for (std::size_t i = 0; i < kViridis.size(); ++i) {
        const double share = static_cast<double>(i) / (kViridis.size() - 1);
        ramp.setColorAt(1 - share, viridis(share));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(ramp);
    painter.drawRoundedRect(layout.scale, 2, 2);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(style.muted);
    painter.setFont(style.font);
    const double left = layout.scale.right() + layout.text * 0.4;
    const auto end = [&](double y, double value) {
        painter.drawText(QRectF(left, y, 10 * layout.text, layout.text), Qt::AlignLeft | Qt::AlignVCenter,
                         tickText(value));
    };
    end(layout.scale.top(), map.lowIsGood ? low : high);
    if (high > low) end(layout.scale.bottom() - layout.text, map.lowIsGood ? high : low);
}

}  // namespace

double HeatEnds::shareOf(double value, bool lowIsGood) const {
    const double share = high > low ? (value - low) / (high - low) : 0.5;
    return lowIsGood ? 1 - share : share;
}

HeatEnds endsOf(const HeatMap& map) {
    HeatEnds ends;
    QStringList texts;
    for (const HeatCell& cell : map.cells) {
        if (!cell.value || !std::isfinite(*cell.value)) continue;
        ends.low = std::min(ends.low, *cell.value);
        ends.high = std::max(ends.high, *cell.value);
        if (!texts.contains(cell.text)) texts << cell.text;
    }
    if (texts.size() == 1 && !texts.front().isEmpty()) ends.high = ends.low;
    if (!(ends.low < ends.high)) return ends;
    const double middle = (ends.low + ends.high) / 2;
    const double least = leastOf(map, middle).wide;
    if (ends.high - ends.low >= least) return ends;
    return {middle - least / 2, middle + least / 2, true};
}

QString widenedInWords(const HeatMap& map) {
    const HeatEnds ends = endsOf(map);
    if (!ends.widened) return {};
    return QStringLiteral("cells hardly differ: the colours span %1, more than the cells do")
        .arg(leastOf(map, (ends.low + ends.high) / 2).words);
}

QColor viridis(double share) {
    const double at = std::clamp(share, 0.0, 1.0) * (kViridis.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(at), kViridis.size() - 2);
    const double part = at - static_cast<double>(below);
    const QColor low = QColor::fromRgb(kViridis[below]), high = QColor::fromRgb(kViridis[below + 1]);
    const auto mix = [part](double a, double b) { return static_cast<float>(a + part * (b - a)); };
    return QColor::fromRgbF(mix(low.redF(), high.redF()), mix(low.greenF(), high.greenF()),
                            mix(low.blueF(), high.blueF()));
}

void paintHeatMap(QPainter& painter, const QRectF& area, const HeatMap& map, const PlotStyle& style) {
    const HeatLayout layout = layOutHeat(area, map, style);
    const QFontMetricsF metrics(style.font);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const auto columns = static_cast<std::size_t>(map.columns.size());
    for (std::size_t i = 0; i < map.cells.size(); ++i) {
        const QRectF box = layout.cellAt(i / columns, i % columns).adjusted(1, 1, -1, -1);
        painter.setFont(style.font);
        paintCell(painter, box, map.cells[i], map, layout, style);
    }
    painter.setFont(style.font);
    painter.setPen(style.muted);
    for (qsizetype row = 0; row < map.rows.size(); ++row) {
        const QRectF cell = layout.cellAt(static_cast<std::size_t>(row), 0);
        painter.drawText(QRectF(area.left(), cell.top(), cell.left() - area.left() - layout.text * 0.5, cell.height()),
                         Qt::AlignRight | Qt::AlignVCenter, map.rows[row]);
    }
    for (qsizetype column = 0; column < map.columns.size(); ++column) {
        const QRectF cell = layout.cellAt(0, static_cast<std::size_t>(column));
        painter.drawText(QRectF(cell.left(), layout.cells.bottom() + 2, cell.width(), layout.text), Qt::AlignCenter,
                         metrics.elidedText(map.columns[column], Qt::ElideMiddle, cell.width()));
    }
    const QRectF title = titleRow(area, layout.cells.left(), layout.cells.right(),
                                  layout.cells.bottom() + layout.text + 3, layout.text, map.title, metrics);
    painter.drawText(title, Qt::AlignCenter, metrics.elidedText(map.title, Qt::ElideRight, title.width()));
    paintScale(painter, map, layout, style);
    painter.restore();
}

std::optional<std::size_t> heatCellAt(const QRectF& area, const HeatMap& map, const PlotStyle& style, QPointF at) {
    const HeatLayout layout = layOutHeat(area, map, style);
    if (map.cells.empty() || !layout.cells.contains(at)) return std::nullopt;
    const auto row = static_cast<std::size_t>((at.y() - layout.cells.top()) / layout.high);
    const auto column = static_cast<std::size_t>((at.x() - layout.cells.left()) / layout.wide);
    if (static_cast<qsizetype>(row) >= map.rows.size() || static_cast<qsizetype>(column) >= map.columns.size()) {
        return std::nullopt;
    }
    return map.placeOf(row, column);
}

void HeatMapView::setMap(HeatMap map) {
    if (map == map_) return;
    map_ = std::move(map);
    row_ = std::min(row_, static_cast<std::size_t>(std::max<qsizetype>(1, map_.rows.size()) - 1));
    column_ = std::min(column_, static_cast<std::size_t>(std::max<qsizetype>(1, map_.columns.size()) - 1));
    QStringList lines{map_.title};
    for (const HeatCell& cell : map_.cells) {
        if (cell.value) lines << cell.words;
    }
    setAccessibleDescription(lines.join(QLatin1Char('\n')));
    update();
}

void HeatMapView::paintChart(QPainter& painter, const PlotStyle& style) {
    paintHeatMap(painter, area(), map_, style);
    if (!hasFocus()) return;
    painter.setPen(QPen(theme().accent, 2));
    painter.drawRect(layOutHeat(area(), map_, style).cellAt(row_, column_).adjusted(1, 1, -1, -1));
}

void HeatMapView::goTo(std::size_t row, std::size_t column) {
    row_ = row;
    column_ = column;
    update();
    const QRectF cell = layOutHeat(area(), map_, plotStyle()).cellAt(row, column);
    QToolTip::showText(mapToGlobal(cell.bottomLeft().toPoint()), asTip(map_.cells[map_.placeOf(row, column)].words),
                       this);
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
    if (map_.cells.empty()) return QWidget::keyPressEvent(event);
    const auto rows = static_cast<std::size_t>(map_.rows.size());
    const auto columns = static_cast<std::size_t>(map_.columns.size());
    switch (event->key()) {
        case Qt::Key_Up: return goTo(row_ - (row_ > 0 ? 1 : 0), column_);
        case Qt::Key_Down: return goTo(std::min(row_ + 1, rows - 1), column_);
        case Qt::Key_Left: return goTo(row_, column_ - (column_ > 0 ? 1 : 0));
        case Qt::Key_Right: return goTo(row_, std::min(column_ + 1, columns - 1));
        case Qt::Key_Return:
        case Qt::Key_Enter: emit chosen(map_.placeOf(row_, column_)); return;
        default: QWidget::keyPressEvent(event);
    }
}

void HeatMapView::mouseDoubleClickEvent(QMouseEvent* event) {
    if (const auto cell = heatCellAt(area(), map_, plotStyle(), event->position())) emit opened(*cell);
}

void HeatMapView::mousePressEvent(QMouseEvent* event) {
    const auto cell = heatCellAt(area(), map_, plotStyle(), event->position());
    if (!cell) return;
    row_ = *cell / static_cast<std::size_t>(map_.columns.size());
    column_ = *cell % static_cast<std::size_t>(map_.columns.size());
    emit chosen(*cell);
    update();
}

void HeatMapView::mouseMoveEvent(QMouseEvent* event) {
    const auto cell = heatCellAt(area(), map_, plotStyle(), event->position());
    if (!cell || map_.cells[*cell].words.isEmpty()) return QToolTip::hideText();
    QToolTip::showText(event->globalPosition().toPoint() + QPoint(14, 14), asTip(map_.cells[*cell].words), this);
}

}  // namespace dasgd::gui
