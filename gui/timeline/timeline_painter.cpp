#include "gui/timeline/timeline_painter.h"

#include <QFontMetricsF>
#include <QHash>
#include <QImage>
#include <QMap>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <ranges>

#include "gui/models/timeline/span_colors.h"
#include "gui/models/words.h"

namespace dasgd::gui {

namespace {

const QColor kLink(0xcc, 0x79, 0xa7);
constexpr double kLeastLink = 6;  // shorter ones only smear
constexpr std::size_t kMostLinks = 3000;
constexpr double kTickGap = 104;

// The mean colour over the part of the pixel that is busy; half of it at least, so that a lone span is seen.
QRgb shown(const TimelineBox& box, const QColor& ground) {
    const QColor color = QColor::fromRgb(box.rgb);
    if (box.count == 1) return color.rgb();
    const double part = 0.5 + 0.5 * box.cover;
    const auto mixed = [part](int a, int b) {
        // Six bits a channel: fewer batches, no visible step.
        return static_cast<int>(std::lround(a * part + b * (1 - part))) & 0xfc;
    };
    return qRgb(mixed(color.red(), ground.red()), mixed(color.green(), ground.green()),
                mixed(color.blue(), ground.blue()));
}

QColor inkOn(QRgb color) { return qGray(color) > 110 ? QColor(0x14, 0x16, 0x1a) : QColor(0xff, 0xff, 0xff); }

bool isSeen(const QRectF& lane, const QRectF& seen) {
    return lane.bottom() >= seen.top() && lane.top() <= seen.bottom();
}

class BoxPainter {
public:
    BoxPainter(QPainter& painter, const TimelineLayout& layout, const TimeScale& scale, const TimelineStyle& style,
               const QRectF& seen)
        : painter_(painter), layout_(layout), scale_(scale), style_(style), seen_(seen) {}

    void add(const TimelineBox& box) {
        if (!isSeen(layout_.lane(static_cast<std::size_t>(box.row)), seen_)) return;
        const QRectF rect = rectOf(box);
        if (rect.isEmpty()) return;
        if (box.count > 1 && style_.crisp) return addPixels(box, rect);
        batches_[shown(box, style_.ground)].append(rect);
        if (box.count > 1) return;
        if (box.span.kind == SpanKind::Wait && rect.width() >= 5) waits_.append(rect);
        if (rect.width() >= 34 && rect.height() >= 13) labelled_.append({&box, rect});
    }

    void paint() {
        paintStrips();
        painter_.setPen(Qt::NoPen);
        for (auto batch = batches_.begin(); batch != batches_.end(); ++batch) {
            painter_.setBrush(QColor::fromRgb(batch.key()));
            painter_.drawRects(batch->constData(), static_cast<int>(batch->size()));
        }
        painter_.setBrush(waitHatch());
        painter_.drawRects(waits_.constData(), static_cast<int>(waits_.size()));
        painter_.setBrush(Qt::NoBrush);
        painter_.setFont(style_.small);
        const QFontMetricsF metrics(style_.small);
        for (const auto& [box, rect] : labelled_) {
            const QRectF room = rect.adjusted(6, 0, -4, 0);
            QString text = boxLabel(*box);
            if (metrics.horizontalAdvance(text) > room.width())
                text = QString::fromLatin1(nameOf(box->span.kind).data());
            if (metrics.horizontalAdvance(text) > room.width()) continue;
            painter_.setPen(inkOn(box->rgb));
            painter_.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, text);
        }
    }

private:
    [[nodiscard]] QRectF rectOf(const TimelineBox& box) const {
        const QRectF lane = layout_.lane(static_cast<std::size_t>(box.row));
        double left = std::max(scale_.xAt(box.span.start), lane.left());
        double right = std::min(scale_.xAt(box.span.end), lane.right());
        if (right < lane.left() || left > lane.right()) return {};
        if (style_.crisp) {
            left = std::floor(left);
            right = std::floor(right);
        }
        double width = std::max(right - left, style_.minimalBox);
        // A hair between neighbours, where there is room for one.
        if (box.count == 1 && width >= 4) width -= style_.crisp ? 1 : 0.4;
        return {left, lane.top(), width, lane.height()};
    }

    // Thousands of merged boxes of as many colours: a lane of them is one line of pixels that is drawn as high as the
    // lane.
    void addPixels(const TimelineBox& box, const QRectF& rect) {
        const QRectF lane = layout_.lane(static_cast<std::size_t>(box.row));
        QImage& strip = strips_[box.row];
        if (strip.isNull()) {
            strip = QImage(static_cast<int>(std::ceil(lane.width())) + 2, 1, QImage::Format_ARGB32_Premultiplied);
            strip.fill(Qt::transparent);
        }
        const int first = std::max(0, static_cast<int>(rect.left() - lane.left()));
        const int last = std::min(strip.width(), static_cast<int>(rect.right() - lane.left()));
        auto* pixels = reinterpret_cast<QRgb*>(strip.scanLine(0));
        std::fill(pixels + first, pixels + std::max(first, last), shown(box, style_.ground));
    }
    void paintStrips() {
        for (auto strip = strips_.constBegin(); strip != strips_.constEnd(); ++strip) {
            const QRectF lane = layout_.lane(static_cast<std::size_t>(strip.key()));
            painter_.drawImage(QRectF(lane.left(), lane.top(), strip->width(), lane.height()), *strip);
        }
    }

    QPainter& painter_;
    const TimelineLayout& layout_;
    const TimeScale& scale_;
    const TimelineStyle& style_;
    const QRectF seen_;
    QHash<std::int32_t, QImage> strips_;  // by row, of merged boxes
    QMap<QRgb, QList<QRectF>> batches_;   // in an order of their own, so that a figure is the same each time
    QList<QRectF> waits_;
    QList<std::pair<const TimelineBox*, QRectF>> labelled_;
};

// Under the boxes: what lies outside the windows counts for no number.
void paintUntimed(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                  const TimelineStyle& style, const QRectF& seen) {
    QHash<int, QRectF> lanes;
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        lanes[frame.rows[i].rank] = lanes.value(frame.rows[i].rank).united(layout.lane(i));
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(untimedTint(style));
    for (const TimelineGap& gap : frame.untimed) {
        const QRectF rows = lanes.value(gap.rank);
        if (rows.isEmpty() || !isSeen(rows, seen)) continue;
        const double left = std::max(scale.xAt(gap.range.start), rows.left());
        const double right = std::min(scale.xAt(gap.range.end), rows.right());
        if (right > left) painter.drawRect(QRectF(left, rows.top() - 3, right - left, rows.height() + 6));
    }
}

struct Tick {
    double x = 0;
    QString label;
};

std::vector<Tick> ticksOn(const TimeScale& scale, const TimelineStyle& style) {
    const double gap = style.crisp ? kTickGap : kTickGap * 0.6;
    const std::vector<Ns> instants = ticksOf(scale, gap);
    const QStringList labels = tickLabels(instants, tickStep(scale, gap));
    std::vector<Tick> ticks;
    for (std::size_t i = 0; i < instants.size(); ++i) {
        const double exact = scale.xAt(instants[i]);
        ticks.push_back({style.crisp ? std::floor(exact) + 0.5 : exact, labels[static_cast<qsizetype>(i)]});
    }
    return ticks;
}

void paintGrid(QPainter& painter, const std::vector<Tick>& ticks, const TimelineLayout& layout,
               const TimelineStyle& style) {
    const double bottom = layout.size() == 0 ? layout.plot().bottom() : layout.lane(layout.size() - 1).bottom() + 6;
    painter.setPen(QPen(style.grid, style.crisp ? 1 : 0.5));
    for (const Tick& tick : ticks) {
        painter.drawLine(QPointF(tick.x, layout.plot().top() - 3), QPointF(tick.x, bottom));
    }
}

// At the top of what is seen: rows that were scrolled away take the time along otherwise.
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

void paintLabels(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout,
                 const TimelineStyle& style, const QRectF& seen) {
    const double left = layout.bounds().left();
    const double gap = labelGap(style);
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        const QRectF lane = layout.lane(i);
        if (!isSeen(lane, seen)) continue;
        const QRectF room(left, lane.top(), layout.plot().left() - left - gap, lane.height());
        painter.setPen(style.muted);
        painter.setFont(style.small);
        painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, laneName(frame.rows[i].lane));
        if (frame.rows[i].lane != Lane::Compute) continue;
        painter.setPen(style.text);
        painter.setFont(style.strong);
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, rankName(frame.rows[i].rank));
    }
}

void paintLinks(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& seen) {
    QHash<int, std::pair<std::size_t, std::size_t>> lanes;  // rank → compute row, comm row
    for (std::size_t i = 0; i < frame.rows.size(); ++i) {
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
    painter.setPen(QPen(kLink, style.crisp ? 1.5 : 0.8));
    for (const TimelineLink& link : frame.links | std::views::filter(inSight)) {
        const double from = scale.xAt(link.launch);
        const double to = scale.xAt(link.use);
        if (to - from < kLeastLink || to < layout.plot().left() || from > layout.plot().right()) continue;
        const auto [compute, comm] = lanes.value(link.rank);
        const double low = layout.lane(comm).top();
        const double high = layout.lane(compute).bottom();
        const double middle = (low + high) / 2;
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
            .strong = interFont(12, Weight::SemiBold),
            .plain = interFont(12),
            .small = interFont(11)};
}

QColor untimedTint(const TimelineStyle& style) {
    QColor tint = style.muted;
    tint.setAlphaF(0.16F);
    return tint;
}

QBrush waitHatch() { return {QColor(255, 255, 255, 120), Qt::BDiagPattern}; }

QString boxLabel(const TimelineBox& box) {
    QString kind = QString::fromLatin1(nameOf(box.span.kind).data());
    const bool moves = box.span.kind == SpanKind::Reduce || box.span.kind == SpanKind::Transfer;
    if (!moves || box.span.bytes == 0) return kind;
    return kind + QLatin1Char(' ') + bytesInWords(static_cast<double>(box.span.bytes)).text();
}

QString boxDescription(const TimelineBox& box, const TimelineRow& row) {
    const auto seconds = [](Ns t) {
        return QString::number(static_cast<double>(t) / 1e9, 'f', 6) + QStringLiteral(" s");
    };
    const QString kind = QString::fromLatin1(nameOf(box.span.kind).data());
    QStringList lines;
    if (box.count > 1) {
        lines << QStringLiteral("%1 spans in this pixel, mostly %2").arg(box.count).arg(kind)
              << QStringLiteral("rank %1 · near step %2 · busy %3 %")
                     .arg(row.rank)
                     .arg(box.span.step)
                     .arg(std::lround(100 * box.cover));
        lines << QStringLiteral("from ") + seconds(box.span.start) + QStringLiteral(" · zoom in to see them");
        return lines.join(QLatin1Char('\n'));
    }
    lines << kind + QStringLiteral("  ") + durationInWords(box.span.end - box.span.start).text();
    lines << QStringLiteral("rank %1 · %2 · step %3")
                 .arg(row.rank)
                 .arg(QLatin1String(nameOf(row.lane).data()))
                 .arg(box.span.step);
    lines << QStringLiteral("from ") + seconds(box.span.start) + QStringLiteral(" to ") + seconds(box.span.end);
    if (box.span.kind == SpanKind::Skew) lines << QStringLiteral("arrived, and waits for the last rank");
    if (box.span.kind == SpanKind::Transfer) lines << QStringLiteral("since the last rank arrived");
    if (box.span.kind == SpanKind::Reduce) lines << QStringLiteral("not all ranks have reported it: in no number");
    if (box.span.bytes > 0) lines << bytesInWords(static_cast<double>(box.span.bytes)).text();
    if (box.span.collective > 0) lines << QStringLiteral("collective %1").arg(box.span.collective);
    return lines.join(QLatin1Char('\n'));
}

double labelsWidth(const std::vector<TimelineRow>& rows, const TimelineStyle& style, double least) {
    int last = 0;
    for (const TimelineRow& row : rows) last = std::max(last, row.rank);
    const double gap = labelGap(style);
    const double rank = QFontMetricsF(style.strong).horizontalAdvance(rankName(last));
    const double lane = QFontMetricsF(style.small).horizontalAdvance(laneName(Lane::Compute));
    return std::max(least, std::ceil(rank + gap + lane + gap));
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

void paintTimeline(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                   const TimelineStyle& style) {
    painter.setRenderHint(QPainter::Antialiasing, !style.crisp);
    painter.setRenderHint(QPainter::TextAntialiasing);
    const QRectF seen = painter.hasClipping() ? painter.clipBoundingRect() : layout.bounds();
    const std::vector<Tick> ticks = ticksOn(scale, style);
    paintGrid(painter, ticks, layout, style);
    paintLabels(painter, frame, layout, style, seen);
    paintUntimed(painter, frame, layout, scale, style, seen);
    BoxPainter boxes(painter, layout, scale, style, seen);
    for (const TimelineBox& box : frame.boxes) boxes.add(box);
    boxes.paint();
    paintLinks(painter, frame, layout, scale, style, seen);
    paintAxis(painter, ticks, layout, style, seen);
}

}  // namespace dasgd::gui
