// Marks and rows of TimelineWidget: foot, cursor, found span, pinned rows and opened groups.
#include <QScrollArea>
#include <QTimer>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"
#include "gui/timeline/model/late_words.h"
#include "gui/timeline/view/timeline_foot.h"
#include "gui/timeline/view/timeline_painter.h"
#include "gui/timeline/view/timeline_widget.h"

namespace dasgd::gui {

namespace {

constexpr int kLayoutMs = 20;  // pause until the area around the rows is laid out again

}  // namespace

void TimelineWidget::setFoot(bool shown) {
    foot_ = shown;
    relayout();
}

void TimelineWidget::setHiddenStrip(const HiddenStrip& hidden) {
    marks_.hidden = hidden;
    redraw();
}

// The drawn rows stay until the new frame arrives.
void TimelineWidget::takePlan() {
    if (frame_->boxes.empty()) {
        const std::optional<RankGroup> current = currentRow();
        clear();
        keepCurrent(current);
    }
    ask();
}

std::optional<RankGroup> TimelineWidget::currentRow() const {
    const RankGroup* row = groupAt(marks_.current);
    return row ? std::optional(*row) : std::nullopt;
}

void TimelineWidget::keepCurrent(const std::optional<RankGroup>& row) {
    marks_.current = -1;
    if (!row || !frame_->plan) return;
    const auto same = [&](const RankGroup& one) { return one.name == row->name && one.ranks == row->ranks; };
    const auto at = std::ranges::find_if(*frame_->plan, same);
    if (at != frame_->plan->end()) marks_.current = static_cast<int>(at - frame_->plan->begin());
}

void TimelineWidget::takeLateness() {
    const std::map<int, RowNote> before = std::exchange(marks_.notes, {});
    if (rows_.lateness()) {
        for (const RankLateness& rank : rows_.lateness()->ranks) {
            marks_.notes[rank.rank] = {lateInWords(rank.lateNs), rank.isBeyondNoise()};
        }
    }
    if (marks_.notes != before) repaintAll();
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
    return footOf(layout_, picture_.band().isEmpty() ? layout_.bounds() : QRectF(picture_.band())).top();
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
    static_cast<void>(scrollTo(static_cast<std::size_t>(row - frame_->rows.begin())));
}

bool TimelineWidget::scrollTo(std::size_t row) {
    const QRect pair = layout_.pair(row).toRect();
    for (QWidget* up = parentWidget(); up; up = up->parentWidget()) {
        auto* area = qobject_cast<QScrollArea*>(up);
        if (!area || !area->widget()) continue;
        const QPoint middle = mapTo(area->widget(), QPoint(0, pair.center().y()));
        // The area's inner widget grows later than this one.
        if (middle.y() > area->widget()->height()) return false;
        area->ensureVisible(0, middle.y(), 0, pair.height() / 2 + static_cast<int>(layout_.foot()) + 30);
    }
    return true;
}

void TimelineWidget::pointTo(std::optional<double> x) {
    pointerX_ = x;
    selection_.setCursor(x ? std::optional(scale().timeAt(*x)) : std::nullopt);
}

// Repaints only the cursor's line, which moves as often as the pointer in another view does.
void TimelineWidget::takeCursor() {
    if (pointerX_) return;
    for (const std::optional<double> x : {paintedX_, cursorX()}) {
        if (x) update(static_cast<int>(std::floor(*x)) - 1, 0, 3, height());
    }
}

std::optional<double> TimelineWidget::cursorX() const {
    if (pointerX_) return pointerX_;
    if (!selection_.cursor()) return std::nullopt;
    const double x = scale().xAt(*selection_.cursor());
    const bool seen = x >= layout_.plot().left() && x <= layout_.plot().right();
    return seen ? std::optional(x) : std::nullopt;
}

void TimelineWidget::paintCursor(QPainter& painter) {
    paintedX_ = drag_ == Drag::None ? cursorX() : std::nullopt;
    if (!paintedX_) return;
    painter.setPen(QPen(look_.theme().faint, 1, Qt::DotLine));
    const double x = std::floor(*paintedX_) + 0.5;
    painter.drawLine(QPointF(x, layout_.plot().top() - 3), QPointF(x, layout_.bounds().bottom()));
}

void TimelineWidget::setFound(const std::optional<RankSpan>& span) {
    found_ = span;
    revealing_ = span.has_value();
    setAccessibleDescription(span ? tr("Found: %1 of rank %2, %3")
                                        .arg(QString::fromLatin1(nameOf(span->span.kind).data()))
                                        .arg(span->rank)
                                        .arg(durationInWords(span->span.end - span->span.start).text())
                                  : QString());
    revealFound();
    update();
}

std::size_t TimelineWidget::rowOfFound() const {
    const auto is = [this](const TimelineRow& row) {
        return !row.isGroup() && row.rank == found_->rank && row.lane == found_->span.lane;
    };
    return static_cast<std::size_t>(std::ranges::find_if(frame_->rows, is) - frame_->rows.begin());
}

void TimelineWidget::revealFound() {
    if (!found_) return;
    const std::size_t row = rowOfFound();
    // New rows are squeezed together until the widget has its new height.
    if (row >= layout_.size() || height() < minimumHeight()) return;
    marks_.current = frame_->rows[row].placeOf();
    const bool reached = scrollTo(row);
    revealing_ = !reached || frame_->plan != rows_.plan();
    if (!reached) QTimer::singleShot(kLayoutMs, this, &TimelineWidget::revealFound);
    repaintAll();
}

// Marks the found span by a frame and an arrow, since a colour alone would not stand out among the kinds' colours.
void TimelineWidget::paintFound(QPainter& painter) {
    if (!found_) return;
    const std::size_t row = rowOfFound();
    if (row >= layout_.size()) return;
    const QRectF plot = layout_.plot(), lane = layout_.lane(row);
    const double left = scale().xAt(found_->span.start);
    const double right = std::max(left + 3, scale().xAt(found_->span.end));
    if (right < plot.left() || left > plot.right() || lane.top() < rowsTop() || lane.bottom() > footTop()) return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setClipRect(plot.adjusted(-1, -12, 1, 1), Qt::IntersectClip);
    const QRectF frame(QPointF(left - 2, lane.top() - 2), QPointF(right + 2, lane.bottom() + 2));
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(look_.theme().panel, 4));
    painter.drawRect(frame);
    painter.setPen(QPen(look_.theme().text, 2));
    painter.drawRect(frame);
    const double middle = (std::max(left, plot.left()) + std::min(right, plot.right())) / 2;
    painter.setPen(QPen(look_.theme().panel, 1));
    painter.setBrush(look_.theme().text);
    const QPointF tip(middle, frame.top() - 1);
    painter.drawPolygon(QPolygonF({tip, tip + QPointF(-6, -10), tip + QPointF(6, -10)}));
    painter.restore();
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
                    .arg(lateInWords(late->noiseNs).remove(u'+'))
                    .arg(late->last);
    }
    QToolTip::showText(global, text, this);
}

}  // namespace dasgd::gui
