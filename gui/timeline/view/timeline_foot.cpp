#include "gui/timeline/view/timeline_foot.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

#include "gui/data/spans/step_marks.h"

namespace dasgd::gui {

namespace {

constexpr double kLeastBar = 4;     // least width of a bar, in pixels; narrower steps share one
constexpr double kLeastLabel = 38;  // least distance of step numbers, in pixels
constexpr double kLeastLine = 24;   // least distance of step lines, in pixels
constexpr double kAll = 0.995;      // hidden share from which on a step counts as fully hidden
constexpr double kNumber = 13;      // height of a bar's number, in pixels

QString tr(const char* text) { return QCoreApplication::translate("TimelineFoot", text); }

void add(HiddenBar& bar, const HiddenBar& more) {
    bar.share = (bar.share * bar.steps + more.share) / (bar.steps + 1);
    bar.right = std::max(bar.right, more.right);
    bar.last = more.last;
    bar.ranks = std::min(bar.ranks, more.ranks);
    ++bar.steps;
}

void paintBars(QPainter& painter, const std::vector<HiddenBar>& bars, const QRectF& area, const TimelineStyle& style) {
    const QFontMetricsF metrics(style.small);
    painter.setFont(style.small);
    for (const HiddenBar& bar : bars) {
        const double left = std::max(bar.left, area.left()), right = std::min(bar.right, area.right());
        if (right - left < 0.5) continue;
        const double height = std::max(1.0, bar.share * area.height());
        const double gap = right - left > 6 ? 2 : 0;
        const QRectF rect(left + gap / 2, area.bottom() - height, right - left - gap, height);
        painter.fillRect(rect, bar.share >= kAll ? style.good : style.warn);
        if (bar.share >= kAll) continue;
        const QString text = QString::number(100 * bar.share, 'f', 1);
        const auto place = placeOfNumber(rect, area, metrics.horizontalAdvance(text));
        if (!place) continue;
        painter.setPen(place->top() < rect.top() ? style.warn : style.ground);
        painter.drawText(*place, Qt::AlignCenter, text);
    }
}

void paintStrip(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const HiddenStrip& hidden, const QRectF& strip) {
    const QRectF plot = layout.plot();
    const QRectF area(plot.left(), strip.top() + 14, plot.width(), strip.height() - 16);
    const std::vector<HiddenBar> bars = hiddenBars(hidden.steps, frame.steps, scale);
    const bool columns = std::ranges::any_of(bars, [&](const HiddenBar& bar) {
        return bar.steps > 1 && bar.right > area.left() && bar.left < area.right();
    });
    const QRectF words(strip.left(), strip.top(), plot.left() - strip.left() - 8, strip.height());
    painter.setFont(style.strong);
    painter.setPen(style.text);
    painter.drawText(words.adjusted(0, 8, 0, 0), Qt::AlignLeft | Qt::AlignTop, tr("hidden"));
    painter.setFont(style.small);
    painter.setPen(style.muted);
    painter.drawText(words.adjusted(0, 26, 0, 0), Qt::AlignLeft | Qt::AlignTop,
                     columns ? tr("mean of steps") : tr("per step"));
    painter.drawText(words.adjusted(0, 8, 0, 0), Qt::AlignRight | Qt::AlignTop, QStringLiteral("100 %"));
    painter.drawText(words, Qt::AlignRight | Qt::AlignBottom, QStringLiteral("0"));
    if (bars.empty() && !hidden.instead.isEmpty()) {
        painter.drawText(area, Qt::AlignCenter, hidden.instead);
        return;
    }
    painter.setPen(QPen(style.grid, 1));
    painter.drawLine(area.topLeft(), area.topRight());
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    paintBars(painter, bars, area, style);
}

void paintSteps(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                const TimelineStyle& style, const QRectF& strip) {
    const QRectF plot = layout.plot();
    painter.setFont(style.small);
    painter.setPen(style.axisText);
    painter.drawText(QRectF(strip.left(), strip.top(), plot.left() - strip.left() - 8, strip.height()),
                     Qt::AlignRight | Qt::AlignVCenter, tr("step"));
    const std::int64_t every = labelledSteps(frame.steps, scale.nsPerPixel(), kLeastLabel);
    if (every == 0) return;
    const QFontMetricsF metrics(style.small);
    double free = plot.left();
    std::int64_t before = frame.steps.front().step - 1;
    for (const StepMark& mark : frame.steps) {
        // Steps that begin in one pixel share a mark, that of the last; it stands for all since the mark before.
        const std::int64_t round = mark.step / every * every;
        const bool labelled = round > before && round > 0;
        before = mark.step;
        const double x = scale.xAt(mark.start);
        if (!labelled || x < free || x > plot.right()) continue;
        const QString text = QString::number(round);
        const double width = metrics.horizontalAdvance(text);
        if (x + width + 5 > plot.right()) break;
        painter.drawLine(QPointF(std::floor(x) + 0.5, strip.top()), QPointF(std::floor(x) + 0.5, strip.top() + 4));
        painter.drawText(QRectF(x + 3, strip.top(), width + 2, strip.height()), Qt::AlignLeft | Qt::AlignVCenter, text);
        free = x + width + 8;
    }
}

}  // namespace

std::vector<HiddenBar> hiddenBars(const std::vector<HiddenStep>& steps, const std::vector<StepMark>& marks,
                                  const TimeScale& scale) {
    std::vector<HiddenBar> bars;
    for (const HiddenStep& one : steps) {
        // Steps that begin in one pixel share a mark, that of the last.
        const auto mark = std::ranges::lower_bound(marks, one.step, {}, &StepMark::step);
        if (mark == marks.end()) continue;
        const auto next = std::next(mark);
        // The end of the last step is not known, so it has no bar.
        if (next == marks.end()) continue;
        const HiddenBar bar{.left = scale.xAt(mark->start),
                            .right = std::max(scale.xAt(next->start), scale.xAt(mark->start) + kLeastBar),
                            .share = one.share,
                            .first = one.step,
                            .last = one.step,
                            .ranks = one.ranks};
        if (!bars.empty() && bar.left < bars.back().left + kLeastBar) {
            add(bars.back(), bar);
        } else {
            if (!bars.empty()) bars.back().right = std::min(bars.back().right, bar.left);
            bars.push_back(bar);
        }
    }
    return bars;
}

std::optional<QRectF> placeOfNumber(const QRectF& bar, const QRectF& area, double width) {
    if (width > bar.width()) return std::nullopt;
    const QRectF above(bar.left(), bar.top() - kNumber, bar.width(), kNumber);
    if (above.top() > area.top()) return above;
    if (bar.height() < kNumber) return std::nullopt;
    return QRectF(bar.left(), bar.top() + 1, bar.width(), kNumber);
}

QString barDescription(const HiddenBar& bar) {
    const QString share = QString::number(100 * bar.share, 'f', 1);
    if (bar.steps == 1) {
        return tr("hidden %1 % of the averages that ended in step %2\n").arg(share).arg(bar.first) +
               (bar.ranks == 1 ? tr("of one rank") : tr("mean of %1 ranks").arg(bar.ranks));
    }
    return tr("hidden %1 %, mean of %2 steps from %3 to %4 in which averages ended\n")
               .arg(share)
               .arg(bar.steps)
               .arg(bar.first)
               .arg(bar.last) +
           (bar.ranks == 1 ? tr("of one rank or more each") : tr("of %1 ranks or more each").arg(bar.ranks));
}

QRectF footOf(const TimelineLayout& layout, const QRectF& seen) {
    const QRectF bounds = layout.bounds();
    const double bottom = std::min(bounds.bottom(), seen.bottom());
    return {bounds.left(), bottom - layout.foot(), bounds.width(), layout.foot()};
}

void paintFoot(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
               const TimelineStyle& style, const TimelineMarks& marks, const QRectF& seen) {
    const QRectF foot = footOf(layout, seen);
    painter.fillRect(foot, style.ground);
    painter.setPen(QPen(style.grid, 1));
    painter.drawLine(foot.topLeft(), foot.topRight());
    const QRectF steps(foot.left(), foot.bottom() - kStepsHeight, foot.width(), kStepsHeight);
    paintSteps(painter, frame, layout, scale, style, steps);
    paintStrip(painter, frame, layout, scale, style, marks.hidden,
               QRectF(foot.left(), foot.top(), foot.width(), foot.height() - kStepsHeight));
}

bool hasStepLines(const TimelineFrame& frame, double nsPerPixel) {
    return labelledSteps(frame.steps, nsPerPixel, kLeastLine) == 1;
}

void paintStepLines(QPainter& painter, const TimelineFrame& frame, const TimelineLayout& layout, const TimeScale& scale,
                    const TimelineStyle& style, const QRectF& seen) {
    if (!hasStepLines(frame, scale.nsPerPixel())) return;
    for (std::size_t i = 0; i < frame.rows.size() && i < layout.size(); ++i) {
        if (frame.rows[i].isGroup()) continue;
        const QRectF pair = layout.pair(i);
        painter.setPen(QPen(style.grid, 1));
        for (const StepMark& mark : frame.steps) {
            const double x = std::floor(scale.xAt(mark.start)) + 0.5;
            if (x < std::max(pair.left(), seen.left() - 1) || x > std::min(pair.right(), seen.right() + 1)) continue;
            painter.drawLine(QPointF(x, pair.top() - 4), QPointF(x, pair.bottom() + 2));
        }
        return;
    }
}

}  // namespace dasgd::gui
