// What is told beside the spans of the timeline, and the rows: pinned, opened, gone through.
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/timeline/timeline_foot.h"
#include "gui/timeline/timeline_painter.h"
#include "gui/timeline/timeline_widget.h"

namespace dasgd::gui {

namespace {

// "+8 ms"; to a tenth where it is little.
QString lateInWords(double ns) {
    const double ms = ns / 1e6;
    const int decimals = std::abs(ms) < 10 ? 1 : 0;
    return (ms < 0 ? QStringLiteral("−%1 ms") : QStringLiteral("+%1 ms")).arg(std::abs(ms), 0, 'f', decimals);
}

}  // namespace

void TimelineWidget::setFoot(bool shown) {
    foot_ = shown;
    relayout();
}

void TimelineWidget::setHiddenStrip(const HiddenStrip& hidden) {
    marks_.hidden = hidden;
    repaintAll();
}

// What was drawn stays until the answer comes.
void TimelineWidget::takePlan() {
    marks_.current = -1;
    if (frame_->boxes.empty()) clear();
    ask();
}

void TimelineWidget::takeLateness() {
    marks_.notes.clear();
    if (rows_.lateness()) {
        for (const RankLateness& rank : rows_.lateness()->ranks) {
            marks_.notes[rank.rank] = {lateInWords(rank.lateNs), rank.isBeyondNoise()};
        }
    }
    repaintAll();
}

int TimelineWidget::placeAt(double y) const {
    if (y < rowsTop() || y >= footTop()) return -1;
    for (std::size_t row = 0; row < layout_.size(); ++row) {
        if (y >= layout_.pair(row).top() && y < layout_.pair(row).bottom()) return frame_->rows[row].placeOf();
    }
    return -1;
}

const RankGroup* TimelineWidget::groupAt(int place) const {
    if (!frame_->plan || place < 0 || place >= static_cast<int>(frame_->plan->size())) return nullptr;
    return &(*frame_->plan)[static_cast<std::size_t>(place)];
}

double TimelineWidget::footTop() const {
    return footOf(layout_, band_.isEmpty() ? layout_.bounds() : QRectF(band_)).top();
}

void TimelineWidget::setCurrent(int place) {
    if (place == marks_.current) return;
    marks_.current = place;
    repaintAll();
}

void TimelineWidget::moveCurrent(int direction) {
    if (!frame_->plan || frame_->plan->empty()) return;
    const int last = static_cast<int>(frame_->plan->size()) - 1;
    setCurrent(marks_.current < 0 ? (direction > 0 ? 0 : last) : std::clamp(marks_.current + direction, 0, last));
    const auto row = std::ranges::find(frame_->rows, marks_.current, &TimelineRow::placeOf);
    if (row == frame_->rows.end()) return;
    const QRect pair = layout_.pair(static_cast<std::size_t>(row - frame_->rows.begin())).toRect();
    for (QWidget* up = parentWidget(); up; up = up->parentWidget()) {
        auto* area = qobject_cast<QScrollArea*>(up);
        if (!area || !area->widget()) continue;
        const QPoint middle = mapTo(area->widget(), QPoint(0, pair.center().y()));
        area->ensureVisible(0, middle.y(), 0, pair.height() / 2 + static_cast<int>(layout_.foot()) + 30);
        return;
    }
}

void TimelineWidget::togglePin(int place) {
    const RankGroup* group = groupAt(place);
    if (group && !group->isGroup()) rows_.togglePin(group->ranks.front());
}

bool TimelineWidget::openGroup(int place) {
    const RankGroup* group = groupAt(place);
    if (!group || !group->isGroup()) return false;
    rows_.toggleOpen(group->name);
    return true;
}

bool TimelineWidget::clickLabel(QPointF point) {
    const int place = placeAt(point.y());
    if (place < 0 || point.x() >= layout_.plot().left()) return false;
    setCurrent(place);
    if (!openGroup(place) && point.x() < layout_.bounds().left() + kHandle) togglePin(place);
    return true;
}

void TimelineWidget::showTip(QPoint at, QPoint global) {
    if (at.y() >= footTop()) {
        for (const HiddenBar& bar : hiddenBars(marks_.hidden.steps, frame_->steps, scale())) {
            if (at.x() >= bar.left && at.x() < bar.right) return QToolTip::showText(global, barDescription(bar), this);
        }
        return QToolTip::hideText();
    }
    if (const TimelineBox* box = boxAt(at)) return showBox(*box, global);
    const RankGroup* group = at.x() < layout_.plot().left() ? groupAt(placeAt(at.y())) : nullptr;
    if (!group) return QToolTip::hideText();
    const RankLateness* late = rows_.lateness() ? rows_.lateness()->of(group->ranks.front()) : nullptr;
    QString text = group->isGroup()
                       ? tr("Each lane shows which share of these ranks does what; Enter or a click opens it")
                   : group->pinned ? tr("Pinned; P takes the pin away")
                                   : tr("P or a click on the pin keeps this rank on top");
    if (!group->isGroup() && late) {
        text += tr("\n%1 after the median rank, mean of %2 averages; noise ± %3, last at %4")
                    .arg(lateInWords(late->lateNs))
                    .arg(late->averages)
                    .arg(lateInWords(late->noiseNs).mid(1))
                    .arg(late->last);
    }
    QToolTip::showText(global, text, this);
}

}  // namespace dasgd::gui
