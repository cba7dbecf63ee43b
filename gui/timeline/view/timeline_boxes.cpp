#include "gui/timeline/view/timeline_boxes.h"

#include <QFontMetricsF>
#include <QHash>
#include <QImage>
#include <QMap>
#include <QStaticText>
#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr double kBeside = 4;   // pixels by which a drawn box may extend beyond its time
constexpr double kPattern = 8;  // period of Qt's hatches, in pixels
constexpr double kDim = 0.42;   // share of a skew's colour that is kept on a dark ground

// The colour of a box, mixed with the ground by the busy share of a merged box. At least half is colour, so that a lone
// span is visible.
QRgb shown(const TimelineBox& box, const QColor& ground) {
    const QColor color = colorOn(ground, box.span.kind, box.rgb);
    if (box.count == 1) return color.rgb();
    const double part = 0.5 + 0.5 * box.cover;
    const auto mixed = [part](int a, int b) {
        // Six bits a channel give fewer batches and no visible steps.
        return static_cast<int>(std::lround(a * part + b * (1 - part))) & 0xfc;
    };
    return qRgb(mixed(color.red(), ground.red()), mixed(color.green(), ground.green()),
                mixed(color.blue(), ground.blue()));
}

QColor inkOn(QRgb color) { return qGray(color) > 110 ? QColor(0x14, 0x16, 0x1a) : QColor(0xff, 0xff, 0xff); }

class BoxPainter {
public:
    BoxPainter(QPainter& painter, const std::vector<TimelineRow>& rows, const TimelineLayout& layout,
               const TimeScale& scale, const TimelineStyle& style, const QRectF& seen)
        : painter_(painter),
          rows_(rows),
          layout_(layout),
          scale_(scale),
          style_(style),
          seen_(seen),
          drawn_{scale.timeAt(seen.left() - kBeside), scale.timeAt(seen.right() + kBeside)},
          origin_(style.crisp ? std::floor(scale.xAt(0)) : 0) {}

    void add(const TimelineBox& box) {
        if (box.span.end < drawn_.start || box.span.start > drawn_.end) return;
        if (!isSeen(layout_.lane(static_cast<std::size_t>(box.row)), seen_)) return;
        const QRectF rect = rectOf(box);
        if (rect.isEmpty()) return;
        if (rows_[static_cast<std::size_t>(box.row)].isGroup()) return addShare(box, rect);
        if (box.count > 1 && style_.crisp) return addPixels(box, rect);
        batches_[shown(box, style_.ground)].append(rect);
        if (box.count > 1) return;
        if (box.span.kind == SpanKind::Wait && rect.width() >= 5) waits_.append(rect);
        if (box.span.kind == SpanKind::Skew && rect.width() >= 5) hatch(rect);
        if (rect.width() >= 34 && rect.height() >= 13) labelled_.append({&box, rect});
    }

    void paint() {
        paintStrips();
        painter_.setPen(Qt::NoPen);
        for (auto batch = batches_.begin(); batch != batches_.end(); ++batch) {
            painter_.setBrush(QColor::fromRgb(batch.key()));
            drawRects(*batch);
        }
        painter_.setBrush(waitHatch());
        // The brush origin, like the hatch, is in device pixels.
        painter_.setBrushOrigin(QPointF(std::fmod(origin_ * painter_.device()->devicePixelRatioF(), kPattern), 0));
        drawRects(waits_);
        painter_.setBrushOrigin(QPointF());
        painter_.setPen(QPen(QColor(0, 0, 0, 110), style_.crisp ? 1 : 0.4));
        painter_.drawLines(skews_);
        painter_.setBrush(Qt::NoBrush);
        paintNames();
    }

private:
    // Draws rectangles rounded to whole pixels, which Qt fills without its rasteriser in a fourth of the time.
    void drawRects(const QList<QRectF>& rects) {
        if (!style_.crisp) return painter_.drawRects(rects.constData(), static_cast<int>(rects.size()));
        whole_.clear();
        for (const QRectF& rect : rects) {
            const int left = qRound(rect.left()), top = qRound(rect.top());
            whole_.append({left, top, qRound(rect.right()) - left, qRound(rect.bottom()) - top});
        }
        painter_.drawRects(whole_.constData(), static_cast<int>(whole_.size()));
    }

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
        // A gap of one pixel between neighbours, if there is room.
        if (box.count == 1 && width >= 4) width -= style_.crisp ? 1 : 0.4;
        const QRectF high = heightOf(box, rows_[static_cast<std::size_t>(box.row)], lane);
        return {left, high.top(), width, high.height()};
    }

    // A shaped label. Hundreds of boxes share few names, and shaping each name once saves half of a frame's time.
    struct Name {
        QString text;
        double width = 0;
        QStaticText shaped;
    };
    const Name& nameFor(const QString& text, const QFontMetricsF& metrics) {
        Name& name = names_[text];
        if (name.text.isEmpty()) {
            name = {text, metrics.horizontalAdvance(text), QStaticText(text)};
            name.shaped.setTextFormat(Qt::PlainText);
            name.shaped.prepare(painter_.transform(), style_.small);
        }
        return name;
    }
    void paintNames() {
        painter_.setFont(style_.small);
        const QFontMetricsF metrics(style_.small);
        QHash<std::pair<int, std::int64_t>, QString> labels;
        for (const auto& [box, rect] : labelled_) {
            const QRectF room = rect.adjusted(6, 0, -4, 0);
            QString& label = labels[{static_cast<int>(box->span.kind), static_cast<std::int64_t>(box->span.bytes)}];
            if (label.isEmpty()) label = boxLabel(*box);
            const Name* name = &nameFor(label, metrics);
            if (name->width > room.width())
                name = &nameFor(QString::fromLatin1(nameOf(box->span.kind).data()), metrics);
            if (name->width > room.width()) continue;
            painter_.setPen(inkOn(shown(*box, style_.ground)));
            if (style_.crisp) {
                const double top = room.top() + (room.height() - name->shaped.size().height()) / 2;
                painter_.drawStaticText(QPointF(room.left(), top), name->shaped);
            } else {
                painter_.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, name->text);
            }
        }
    }

    // Hatches a skew by lines, which are several times faster than a brush with a pattern.
    void hatch(const QRectF& rect) {
        const double gap = style_.crisp ? 7 : 3.5;
        const double high = rect.height();
        const double phase = std::fmod(origin_, gap);
        const double first = phase + std::ceil((rect.left() - high - phase) / gap) * gap;
        for (double at = first; at < rect.right(); at += gap) {
            const double from = std::max(at, rect.left()), to = std::min(at + high, rect.right());
            if (to > from) skews_.append({from, rect.bottom() - (from - at), to, rect.bottom() - (to - at)});
        }
    }

    // Adds a column of a group's row. Neighbours touch, since a gap would look like an interval of its own.
    void addShare(const TimelineBox& box, const QRectF& rect) {
        batches_[colorOn(style_.ground, box.span.kind, box.rgb).rgb()].append(rect);
        if (rect.width() < 5 || rect.height() < 5) return;
        if (box.span.kind == SpanKind::Wait) waits_.append(rect);
        if (box.span.kind == SpanKind::Skew) hatch(rect);
    }

    // Adds a merged box to its lane's strip, one line of pixels that is stretched to the height of the lane: there may
    // be thousands of such boxes in as many colours.
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
    const std::vector<TimelineRow>& rows_;
    const TimelineLayout& layout_;
    const TimeScale& scale_;
    const TimelineStyle& style_;
    const QRectF seen_;
    const TimeRange drawn_;
    const double origin_;                 // x of the run's start, to which hatches are fixed
    QHash<std::int32_t, QImage> strips_;  // pixels of merged boxes, by row
    QMap<QRgb, QList<QRectF>> batches_;   // ordered by colour, so that a figure is the same each time
    QList<QRectF> waits_;
    QList<QRect> whole_;
    QList<QLineF> skews_;  // lines of the hatches of skews
    QList<std::pair<const TimelineBox*, QRectF>> labelled_;
    QHash<QString, Name> names_;
};

}  // namespace

void paintBoxes(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& seen) {
    BoxPainter boxes(painter, frame.rows, layout, scale, style, seen);
    for (const TimelineBox& box : frame.boxes) boxes.add(box);
    painter.save();
    // Lines of a hatch may be wider than a pixel and are clipped to the plot.
    if (style.crisp) {
        painter.setClipRect(QRectF(layout.plot().left(), seen.top(), layout.plot().width(), seen.height()),
                            Qt::IntersectClip);
    }
    boxes.paint();
    painter.restore();
}

QColor colorOn(const QColor& ground, SpanKind kind, std::uint32_t rgb) {
    const QColor color = QColor::fromRgb(rgb);
    if (kind != SpanKind::Skew || ground.lightness() >= 128) return color;
    const auto mixed = [](int of, int with) { return static_cast<int>(std::lround(of * kDim + with * (1 - kDim))); };
    return {mixed(color.red(), ground.red()), mixed(color.green(), ground.green()), mixed(color.blue(), ground.blue())};
}

QBrush waitHatch() { return {QColor(255, 255, 255, 120), Qt::BDiagPattern}; }
QBrush skewHatch() { return {QColor(0, 0, 0, 70), Qt::BDiagPattern}; }

QRectF heightOf(const TimelineBox& box, const TimelineRow& row, QRectF lane) {
    if (!row.isGroup()) return lane;
    const double bottom = lane.bottom() - lane.height() * box.base;
    const double height = std::max(1.0, lane.height() * box.cover);
    return {lane.left(), bottom - height, lane.width(), height};
}

QString boxLabel(const TimelineBox& box) {
    QString kind = QString::fromLatin1(nameOf(box.span.kind).data());
    const bool moves = box.span.kind == SpanKind::Reduce || box.span.kind == SpanKind::Transfer;
    if (!moves || box.span.bytes == 0) return kind;
    return kind + QLatin1Char(' ') + bytesInWords(static_cast<double>(box.span.bytes)).text();
}

namespace {

// The column `bytes` of a span in words; its unit depends on the kind (storage/format.md).
QString amountInWords(const Span& span) {
    switch (span.kind) {
        case SpanKind::Window: return QStringLiteral("%1 steps").arg(span.bytes);
        case SpanKind::Forward:
        case SpanKind::Passes: return QStringLiteral("%1 samples").arg(span.bytes);
        default: return bytesInWords(static_cast<double>(span.bytes)).text();
    }
}

}  // namespace

QString boxDescription(const TimelineBox& box, const TimelineRow& row) {
    const auto seconds = [](Ns t) {
        return QString::number(static_cast<double>(t) / 1e9, 'f', 6) + QStringLiteral(" s");
    };
    const QString kind = QString::fromLatin1(nameOf(box.span.kind).data());
    QStringList lines;
    if (row.isGroup()) {
        lines << QStringLiteral("%1: %2 % of the time of %3 ranks")
                     .arg(kind, QString::number(100 * box.cover, 'f', 1))
                     .arg(row.ranks)
              << QStringLiteral("around ") + seconds(box.span.start + (box.span.end - box.span.start) / 2);
        return lines.join(QLatin1Char('\n'));
    }
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
    if (box.span.bytes > 0) lines << amountInWords(box.span);
    if (box.span.collective > 0) lines << QStringLiteral("collective %1").arg(box.span.collective);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace dasgd::gui
