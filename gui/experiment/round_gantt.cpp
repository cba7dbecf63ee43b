#include "gui/experiment/round_gantt.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/data/spans/span_colors.h"
#include "gui/kit/words/seconds.h"
#include "gui/kit/words/words.h"
#include "gui/timeline/view/time_scale.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

constexpr double kLabels = 74, kAxis = 20, kTickGap = 76;
constexpr double kLaneGap = 4, kThinShare = 0.5, kMostLane = 26;
// Shown rounds: one, and the beginning of the next with the launch of its average.
constexpr double kShown = 1.28;
constexpr double kMostNs = 4e18;

QColor colorOf(SpanKind kind) { return QColor::fromRgb(rgbOf(kind)); }
// Label of a tick: "10 ms", "2.5 s".
QString tickLabel(Ns tick) {
    if (tick == 0) return QStringLiteral("0");
    const bool seconds = tick >= 1'000'000'000, milli = !seconds && tick >= 1'000'000;
    const double value = static_cast<double>(tick) / (seconds ? 1e9 : milli ? 1e6 : 1e3);
    return QString::number(value, 'g', 4) + QChar(0x00a0) + QString::fromUtf8(seconds ? "s" : milli ? "ms" : "µs");
}
QColor inkOn(const QColor& color) {
    return qGray(color.rgb()) > 110 ? QColor(0x14, 0x16, 0x1a) : QColor(0xff, 0xff, 0xff);
}

}  // namespace

RoundGantt::RoundGantt(const Look& look) : look_(look) {
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Forecast of one round"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&look, &Look::changed, this, [this] { update(); });
}

void RoundGantt::show(const RoundForecast& round, const std::optional<RoundForecast>& remedy, double bytes) {
    round_ = round;
    remedy_ = remedy;
    bytes_ = bytes;
    if (marked_ >= 0) mark(-1);
    update();
}

void RoundGantt::clear() {
    round_.reset();
    remedy_.reset();
    if (marked_ >= 0) mark(-1);
    setAccessibleDescription({});
    update();
}

QRectF RoundGantt::Layout::rectOf(const RoundSpan& span, const QRectF& lane) const {
    const double left = std::floor(xAt(span.start)), right = std::floor(std::min(xAt(span.end), lane.right()));
    if (left >= lane.right()) return {};
    const double width = std::max(1.0, right - left - (right - left >= 4 ? 1 : 0));
    return {left, lane.top(), width, lane.height()};
}

RoundGantt::Layout RoundGantt::layoutNow() const {
    Layout layout{.axis = kAxis};
    const double lanes = remedy_ ? 2 + kThinShare : 2, gaps = kLaneGap * (remedy_ ? 2 : 1);
    const double lane = std::clamp((height() - kAxis - gaps - 2) / lanes, 8.0, kMostLane);
    const double width = this->width() - kLabels - 1;
    layout.compute = QRectF(kLabels, kAxis, width, lane);
    layout.comm = layout.compute.translated(0, lane + kLaneGap);
    if (remedy_) {
        layout.remedy = QRectF(kLabels, layout.comm.bottom() + kLaneGap, width, lane * kThinShare);
    }
    if (round_) layout.seconds = round_->seconds * kShown;
    return layout;
}

QString RoundGantt::labelOf(const RoundSpan& span) const {
    switch (span.kind) {
        case SpanKind::Transfer:
            if (round_->input.exchange.second > 0) return tr("stage, %1").arg(secondsInWords(span.end - span.start));
            return tr("average %1, %2").arg(bytesInWords(bytes_).text(), secondsInWords(span.end - span.start));
        case SpanKind::Wait: return tr("wait %1").arg(secondsInWords(span.end - span.start));
        default: return {};
    }
}

QString RoundGantt::wordsOf(const RoundSpan& span) const {
    const QString name =
        span.kind == SpanKind::Passes ? tr("forward and backward") : QString::fromLatin1(nameOf(span.kind).data());
    const QString step = span.kind == SpanKind::Transfer ? tr("left after step %1").arg(span.step)
                         : span.steps > 1 ? tr("steps %1 to %2").arg(span.step).arg(span.step + span.steps - 1)
                                          : tr("step %1").arg(span.step);
    return tr("%1 %2 · %3 · from %4 · by formula")
        .arg(name, secondsInWords(span.end - span.start), step, secondsInWords(span.start));
}

void RoundGantt::paintAxis(QPainter& painter, const Layout& layout) const {
    const Theme& theme = look_.theme();
    const TimeScale scale{.window = {0, static_cast<Ns>(std::llround(std::min(layout.seconds * 1e9, kMostNs)))},
                          .left = layout.compute.left(),
                          .width = layout.compute.width()};
    painter.setFont(interFont(11));
    const QFontMetricsF metrics(painter.font());
    const double bottom = layout.remedy.isEmpty() ? layout.comm.bottom() : layout.remedy.bottom();
    for (const Ns tick : ticksOf(scale, kTickGap)) {
        const double x = std::floor(scale.xAt(tick)) + 0.5;
        painter.setPen(theme.grid);
        painter.drawLine(QPointF(x, layout.axis - 3), QPointF(x, bottom));
        const QString label = tickLabel(tick);
        const double width = metrics.horizontalAdvance(label) + 2;
        const double left = std::min(std::max(x - width / 2, kLabels), this->width() - width);
        painter.setPen(theme.muted);
        painter.drawText(QRectF(left, 0, width, layout.axis - 5), Qt::AlignCenter, label);
    }
}

void RoundGantt::paintSpans(QPainter& painter, const Layout& layout, const RoundForecast& round, bool thin) const {
    painter.setFont(interFont(11));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t i = 0; i < round.spans.size(); ++i) {
        const RoundSpan& span = round.spans[i];
        if (thin && span.lane != Lane::Compute) continue;
        const QRectF lane = thin ? layout.remedy : span.lane == Lane::Comm ? layout.comm : layout.compute;
        const QRectF rect = layout.rectOf(span, lane);
        if (rect.isEmpty()) continue;
        const QColor color = colorOf(span.kind);
        painter.fillRect(rect, color);
        if (span.kind == SpanKind::Wait) painter.fillRect(rect, waitHatch());
        if (!thin && static_cast<int>(i) == marked_) {
            painter.setPen(QPen(look_.theme().text, 2));
            painter.drawRect(rect.adjusted(1, 1, -1, -1));
        }
        const QString label = thin ? QString() : labelOf(span);
        if (label.isEmpty() || rect.height() < 13) continue;
        // Labels by length: "average 247 kB, 30.2 ms", "average 247 kB", "average".
        const QStringList shorter{label, label.section(u',', 0, 0), label.section(u' ', 0, 0)};
        const auto found = std::ranges::find_if(
            shorter, [&](const QString& one) { return metrics.horizontalAdvance(one) + 8 < rect.width(); });
        if (found == shorter.end()) continue;
        const QString& fits = *found;
        // A plain ground behind the label makes it legible on the hatch.
        if (span.kind == SpanKind::Wait) {
            const double width = metrics.horizontalAdvance(fits) + 10;
            painter.fillRect(QRectF(rect.center().x() - width / 2, rect.top() + 3, width, rect.height() - 6), color);
        }
        painter.setPen(inkOn(color));
        painter.drawText(rect, Qt::AlignCenter, fits);
    }
}

void RoundGantt::paintBlockNote(QPainter& painter, const Layout& layout) const {
    if (!round_ || round_->block == 1 || layout.compute.height() < 13) return;
    const QString words = tr("each block: up to %1 steps").arg(grouped(round_->block));
    const QFontMetricsF metrics(painter.font());
    const QRectF plate(layout.compute.left() + 3, layout.compute.top() + 2, metrics.horizontalAdvance(words) + 10,
                       layout.compute.height() - 4);
    painter.fillRect(plate, look_.theme().panel);
    painter.setPen(look_.theme().text);
    painter.drawText(plate, Qt::AlignCenter, words);
}

void RoundGantt::paintLinks(QPainter& painter, const Layout& layout) const {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(colorOf(SpanKind::Merge), 1.5));
    const double low = layout.comm.top(), high = layout.compute.bottom(), middle = (low + high) / 2;
    for (const RoundLink& link : round_->links) {
        const double from = layout.xAt(link.launch), to = layout.xAt(link.use);
        if (to > layout.compute.right() || to - from < 6) continue;
        QPainterPath path(QPointF(from, low));
        path.lineTo(QPointF(from, middle));
        path.lineTo(QPointF(to, middle));
        path.lineTo(QPointF(to, high));
        painter.drawPath(path);
        painter.drawLine(QPointF(to, layout.compute.top()), QPointF(to, high));
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void RoundGantt::paintEvent(QPaintEvent*) {
    if (!round_) return;
    QPainter painter(this);
    const Layout layout = layoutNow();
    paintAxis(painter, layout);
    painter.setPen(look_.theme().muted);
    const auto label = [&](const QRectF& lane, const QString& text) {
        painter.drawText(QRectF(0, lane.top() - 4, kLabels - 8, lane.height() + 8), Qt::AlignVCenter | Qt::AlignLeft,
                         text);
    };
    label(layout.compute, tr("compute"));
    label(layout.comm, tr("comm"));
    paintSpans(painter, layout, *round_, false);
    paintLinks(painter, layout);
    paintBlockNote(painter, layout);
    if (remedy_) {
        painter.setPen(look_.theme().muted);
        label(layout.remedy, tr("with d = %1").arg(remedy_->input.delay));
        paintSpans(painter, layout, *remedy_, true);
    }
    if (!hasFocus()) return;
    painter.setBrush(Qt::NoBrush);
    painter.setPen(look_.theme().accent);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
}

void RoundGantt::mark(int span) {
    marked_ = span;
    update();
    emit markedChanged(marked());
}

QString RoundGantt::marked() const {
    return round_ && marked_ >= 0 ? wordsOf(round_->spans[static_cast<std::size_t>(marked_)]) : QString();
}

void RoundGantt::keyPressEvent(QKeyEvent* event) {
    const int direction = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    if (event->key() == Qt::Key_Escape && marked_ >= 0) return mark(-1);
    if (!round_ || direction == 0) return QWidget::keyPressEvent(event);
    const auto seen = static_cast<int>(std::ranges::count_if(
        round_->spans, [&](const RoundSpan& span) { return span.start < round_->seconds * kShown; }));
    mark(std::clamp(marked_ < 0 && direction < 0 ? seen - 1 : marked_ + direction, 0, seen - 1));
}

void RoundGantt::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    if (marked_ >= 0) mark(-1);
}

QString RoundGantt::describe(const QPointF& at) const {
    if (!round_) return {};
    const Layout layout = layoutNow();
    const auto find = [&](const RoundForecast& round, bool thin) -> QString {
        for (const RoundSpan& span : round.spans) {
            if (thin && span.lane != Lane::Compute) continue;
            const QRectF lane = thin ? layout.remedy : span.lane == Lane::Comm ? layout.comm : layout.compute;
            if (layout.rectOf(span, lane).contains(at)) return wordsOf(span);
        }
        return {};
    };
    const QString own = find(*round_, false);
    if (!own.isEmpty() || !remedy_) return own;
    const QString other = find(*remedy_, true);
    return other.isEmpty() ? other : tr("with d = %1: %2").arg(remedy_->input.delay).arg(other);
}

bool RoundGantt::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString words = describe(help->pos());
    if (words.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), asTip(words), this);
    }
    return true;
}

}  // namespace dasgd::gui
