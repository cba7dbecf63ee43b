#include "gui/timeline/view/timeline_painter.h"

#include <QFontMetricsF>
#include <QHash>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "gui/kit/words/words.h"
#include "gui/timeline/view/timeline_foot.h"

namespace dasgd::gui {

namespace {

const QColor kLink(0xcc, 0x79, 0xa7);
constexpr double kLeastLink = 6;  // least length of a link, in pixels; shorter ones would be a blot
constexpr double kTickGap = 104;

// Shades untimed intervals below the boxes: intervals outside of timed windows count for no number.
void paintUntimed(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                  const TimelineStyle& style, const QRectF& seen) {
    QHash<int, QRectF> lanes;  // by place
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        lanes[frame.rows[i].placeOf()] = lanes.value(frame.rows[i].placeOf()).united(layout.lane(i));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(untimedTint(style));
    for (const TimelineGap& gap : frame.untimed) {
        const QRectF rows = lanes.value(gap.place);
        if (rows.isEmpty() || !isSeen(rows, seen)) continue;
        const double left = std::max(scale.xAt(gap.range.start), rows.left());
        const double right = std::min(scale.xAt(gap.range.end), rows.right());
        if (right > left) painter.drawRect(QRectF(left, rows.top() - 3, right - left, rows.height() + 6));
    }
}

// Tints the rows, with their names, of ranks that are late by more than noise.
void paintStragglers(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                     const TimelineStyle& style, const TimelineMarks& marks, const QRectF& seen) {
    QColor tint = style.warn;
    tint.setAlphaF(0.12F);
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        const TimelineRow& row = frame.rows[i];
        if (row.isGroup() || row.lane != Lane::Compute || !isSeen(layout.pair(i), seen)) continue;
        const auto note = marks.notes.find(row.rank);
        if (note == marks.notes.end() || !note->second.beyondNoise) continue;
        const QRectF pair = layout.pair(i).adjusted(0, -5, 0, 5);
        painter.fillRect(QRectF(layout.bounds().left(), pair.top(), layout.bounds().width(), pair.height()), tint);
    }
}

struct Tick {
    double x = 0;
    QString label;
};

std::vector<Tick> ticksOn(const TimeScale& scale, const TimelineStyle& style) {
    const double gap = style.crisp ? kTickGap : kTickGap * 0.6;
    const std::vector<Ns> instants = ticksOf(scale, gap);
    const QStringList labels =
        style.milliseconds ? millisecondLabels(instants) : tickLabels(instants, tickStep(scale, gap));
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < instants.size(); ++i) {
        const double exact = scale.xAt(instants[i]);
        ticks.push_back({style.crisp ? std::floor(exact) + 0.5 : exact, labels[static_cast<qsizetype>(i)]});
    }
    return ticks;
}

void paintGrid(QPainter& painter, const std::vector<Tick>& ticks, const TimelineLayout& layout,
               const TimelineStyle& style, const QRectF& seen) {
    const double bottom = layout.size() == 0 ? layout.plot().bottom() : layout.lane(layout.size() - 1).bottom() + 6;
    painter.setPen(QPen(style.grid, style.crisp ? 1 : 0.5));
    for (const Tick& tick : ticks) {
        if (tick.x < seen.left() - 1 || tick.x > seen.right() + 1) continue;
        painter.drawLine(QPointF(tick.x, layout.plot().top() - 3), QPointF(tick.x, bottom));
    }
}

// Paints the axis at the top of `seen`, so that it stays visible when rows are scrolled.
void paintAxis(QPainter& painter, const std::vector<Tick>& ticks, const TimelineLayout& layout,
               const TimelineStyle& style, const QRectF& seen) {
    const QRectF plot = layout.plot();
    QRectF strip(layout.bounds().topLeft(), QPointF(layout.bounds().right(), plot.top()));
    if (seen.top() > strip.top()) {
        strip.moveTop(seen.top());
        painter.fillRect(strip, style.ground);
    }
    painter.setFont(style.small);
    painter.setPen(style.axisText);
    const QFontMetricsF metrics(style.small);
    for (const Tick& tick : ticks) {
        const double width = metrics.horizontalAdvance(tick.label) + 2;
        const double left = std::min(std::max(tick.x - width / 2, plot.left()), plot.right() - width);
        painter.drawText(QRectF(left, strip.top(), width, strip.height() - 6), Qt::AlignCenter, tick.label);
    }
}

QString laneName(Lane lane) { return QString::fromLatin1(nameOf(lane).data()); }
QString rankName(int rank) { return QStringLiteral("rank ") + QString::number(rank); }
double labelGap(const TimelineStyle& style) { return style.crisp ? 8 : 4; }

// Paints the mark of a rank: filled if it is pinned, hollow if it can be pinned.
void paintPin(QPainter& painter, QPointF at, bool pinned, const TimelineStyle& style) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(pinned ? style.accent : style.muted, 1.2));
    painter.setBrush(pinned ? QBrush(style.accent) : QBrush(Qt::NoBrush));
    painter.drawRect(QRectF(at.x() - 2.5, at.y() - 5, 5, 5));
    painter.drawLine(at + QPointF(-4.5, 0.5), at + QPointF(4.5, 0.5));
    painter.drawLine(at + QPointF(0, 0.5), at + QPointF(0, 5));
    painter.restore();
}

void paintChevron(QPainter& painter, QPointF at, bool open, const TimelineStyle& style) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(style.muted, 1.5));
    const QList<QPointF> line =
        open ? QList<QPointF>{{-4, -2}, {0, 2}, {4, -2}} : QList<QPointF>{{-2, -4}, {2, 0}, {-2, 4}};
    painter.translate(at);
    painter.drawPolyline(line.constData(), static_cast<int>(line.size()));
    painter.restore();
}

// Paints the name of a row and, in a second line, a rank's lateness or a group's number of ranks.
void paintName(QPainter& painter, const TimelineFrame& frame, const TimelineRow& row, const QRectF& first,
               const QRectF& second, const TimelineStyle& style, const TimelineMarks& marks) {
    const RankGroup* group =
        frame.plan && row.place >= 0 ? &(*frame.plan)[static_cast<std::size_t>(row.place)] : nullptr;
    const double indent = marks.handles ? kHandle : 0;
    const QRectF name = first.adjusted(indent, 0, 0, 0), more = second.adjusted(indent, 0, 0, 0);
    painter.setPen(style.text);
    painter.setFont(style.strong);
    painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                     group && !group->name.isEmpty() ? group->name : rankName(row.rank));
    painter.setFont(style.small);
    painter.setPen(style.muted);
    if (row.isGroup()) {
        painter.drawText(more, Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("%1 ranks").arg(row.ranks));
    } else if (const auto note = marks.notes.find(row.rank); note != marks.notes.end()) {
        if (note->second.beyondNoise) painter.setPen(style.warn);
        painter.drawText(more, Qt::AlignLeft | Qt::AlignVCenter, note->second.text);
    }
    if (!marks.handles) return;
    const QPointF at(first.left() + 6, std::floor(first.center().y()));
    if (row.isGroup()) {
        paintChevron(painter, at, group && group->open, style);
    } else {
        paintPin(painter, at, group && group->pinned, style);
    }
}

void paintLabels(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                 const TimelineStyle& style, const TimelineMarks& marks, const QRectF& seen) {
    const double left = layout.bounds().left();
    if (seen.left() >= layout.plot().left()) return;
    const double gap = labelGap(style);
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        const QRectF lane = layout.lane(i), pair = layout.pair(i);
        if (!isSeen(pair, seen)) continue;
        const TimelineRow& row = frame.rows[i];
        const QRectF room(left, lane.top(), layout.plot().left() - left - gap, lane.height());
        painter.setPen(style.muted);
        painter.setFont(style.small);
        if (!row.isGroup()) painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, laneName(row.lane));
        if (row.lane != Lane::Compute) continue;
        const bool same = i + 1 < frame.rows.size() && layout.pair(i + 1) == pair;
        const QRectF below = same ? layout.lane(i + 1) : QRectF();
        QRectF second(left, below.top(), room.width(), below.height());
        // The lanes of a group are lower than two lines of text, so the second line is placed from the bottom.
        if (row.isGroup()) second = QRectF(left, pair.bottom() - 14, room.width(), 14);
        if (marks.current == row.placeOf()) {
            painter.fillRect(QRectF(left, pair.top() - 3, 2, pair.height() + 6), style.accent);
        }
        const QRectF first = row.isGroup() ? QRectF(left, pair.top() - 2, room.width(), pair.height() - 12) : room;
        paintName(painter, frame, row, first, second, style, marks);
    }
}

void paintLinks(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& seen) {
    QHash<int, std::pair<std::size_t, std::size_t>> lanes;  // rank → compute row, comm row
    for (std::size_t i = 0; i < frame.rows.size(); ++i) {
        if (frame.rows[i].isGroup()) continue;
        if (frame.rows[i].lane == Lane::Compute) lanes[frame.rows[i].rank].first = i;
        if (frame.rows[i].lane == Lane::Comm) lanes[frame.rows[i].rank].second = i;
    }
    const auto inSight = [&](const TimelineLink& link) {
        const auto [compute, comm] = lanes.value(link.rank);
        return isSeen(layout.lane(compute), seen) || isSeen(layout.lane(comm), seen);
    };
    if (static_cast<std::size_t>(std::ranges::count_if(frame.links, inSight)) > kMostLinks) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(layout.plot(), Qt::IntersectClip);
    painter.setBrush(Qt::NoBrush);
    // Lines one pixel wide are drawn without forming outlines, at a fourth of the cost.
    painter.setPen(QPen(kLink, style.crisp ? 1 : 0.8));
    const double left = std::max(layout.plot().left(), seen.left() - 2);
    const double right = std::min(layout.plot().right(), seen.right() + 2);
    for (const TimelineLink& link : frame.links | std::views::filter(inSight)) {
        const double from = scale.xAt(link.launch);
        const double to = scale.xAt(link.use);
        if (to - from < kLeastLink || to < left || from > right) continue;
        const auto [compute, comm] = lanes.value(link.rank);
        const double low = layout.lane(comm).top();
        const double high = layout.lane(compute).bottom();
        const double middle = style.crisp ? std::floor((low + high) / 2) + 0.5 : (low + high) / 2;
        const double bend = std::min(14.0, (to - from) / 2);
        QPainterPath path(QPointF(from, low));
        path.cubicTo(QPointF(from, middle), QPointF(from, middle), QPointF(from + bend, middle));
        path.lineTo(QPointF(to - bend, middle));
        path.cubicTo(QPointF(to, middle), QPointF(to, middle), QPointF(to, high));
        painter.drawPath(path);
    }
    painter.restore();
}

}  // namespace

TimelineStyle screenStyle(const Theme& theme) {
    return {.ground = theme.panel,
            .grid = theme.grid,
            .text = theme.text,
            .muted = theme.muted,
            .axisText = theme.muted,
            .accent = theme.accent,
            .warn = theme.warn,
            .good = theme.good,
            .strong = interFont(12, Weight::SemiBold),
            .plain = interFont(12),
            .small = interFont(11)};
}

QColor untimedTint(const TimelineStyle& style) {
    QColor tint = style.muted;
    tint.setAlphaF(0.16F);
    return tint;
}

double labelsWidth(const std::vector<TimelineRow>& rows, const TimelineStyle& style, double least, double handle) {
    int last = 0;
    for (const TimelineRow& row : rows) last = std::max(last, row.rank);
    const double gap = labelGap(style);
    const double rank = QFontMetricsF(style.strong).horizontalAdvance(rankName(last));
    const double lane = QFontMetricsF(style.small).horizontalAdvance(laneName(Lane::Compute));
    return std::max(least, std::ceil(handle + rank + gap + lane + gap));
}

QStringList tickLabels(const std::vector<Ns>& ticks, Ns step) {
    QStringList labels;
    int decimals = 0;
    for (Ns unit = 1'000'000'000; unit > step && decimals < 9; unit /= 10) ++decimals;
    for (const Ns tick : ticks) {
        if (decimals <= 3 || labels.isEmpty()) {
            labels << QString::number(static_cast<double>(tick) / 1e9, 'f', decimals) + QStringLiteral(" s");
        } else {
            labels << QLatin1Char('+') + durationInWords(tick - ticks.front()).text();
        }
    }
    return labels;
}

QStringList millisecondLabels(const std::vector<Ns>& ticks) {
    QStringList labels;
    for (const Ns tick : ticks) labels << QString::number(static_cast<double>(tick) / 1e6) + QStringLiteral(" ms");
    return labels;
}

void paintTimelineRows(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                       const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                       const QRectF& seen) {
    painter.setRenderHint(QPainter::Antialiasing, !style.crisp);
    painter.setRenderHint(QPainter::TextAntialiasing);
    if (marks.handles) paintStragglers(painter, frame, layout, style, marks, seen);
    paintGrid(painter, ticksOn(scale, style), layout, style, seen);
    paintLabels(painter, frame, layout, style, marks, seen);
    paintUntimed(painter, frame, layout, scale, style, seen);
    // Step lines are painted below the boxes, whose labels they would cut.
    if (marks.handles) paintStepLines(painter, frame, layout, scale, style, seen);
    paintBoxes(painter, frame, layout, scale, style, seen);
    paintLinks(painter, frame, layout, scale, style, seen);
}

void paintTimelineEdges(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                        const TimeScale& scale, const TimelineStyle& style, const TimelineMarks& marks,
                        const QRectF& seen) {
    paintAxis(painter, ticksOn(scale, style), layout, style, seen);
    if (layout.foot() > 0) paintFoot(painter, frame, layout, scale, style, marks, seen);
}

void paintTimeline(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                   const TimelineStyle& style, const TimelineMarks& marks) {
    const QRectF seen = painter.hasClipping() ? painter.clipBoundingRect() : layout.bounds();
    paintTimelineRows(painter, frame, layout, scale, style, marks, seen);
    paintTimelineEdges(painter, frame, layout, scale, style, marks, seen);
}

}  // namespace dasgd::gui
