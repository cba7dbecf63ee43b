// Keyboard control of TimelineWidget.
#include <QAction>
#include <QKeyEvent>
#include <QToolTip>
#include <algorithm>

#include "gui/timeline/view/timeline_widget.h"

namespace dasgd::gui {

namespace {

constexpr double kZoomOfKey = 1.2;

struct KeyCommand {
    Qt::Key key;
    const char* words;  // name of the command, a tab, and the key's name
};
constexpr KeyCommand kKeyCommands[]{{Qt::Key_P, "Pin or release the row\tP"},
                                    {Qt::Key_L, "Sort the ranks: the latest first, or by rank\tL"},
                                    {Qt::Key_G, "Collapse the ranks, or show each\tG"},
                                    {Qt::Key_Return, "Open the group of ranks\tEnter"},
                                    {Qt::Key_BracketRight, "Next wait\t]"},
                                    {Qt::Key_BracketLeft, "Previous wait\t["},
                                    {Qt::Key_Z, "Zoom to the selection of time\tZ"},
                                    {Qt::Key_0, "Show the whole run\t0"},
                                    {Qt::Key_F, "Follow the newest spans\tF"},
                                    {Qt::Key_Escape, "Clear the selection of time\tEsc"}};

}  // namespace

void TimelineWidget::keyPressEvent(QKeyEvent* event) {
    if (!navigate(event)) QWidget::keyPressEvent(event);
}

void TimelineWidget::addKeyCommands() {
    for (const KeyCommand& one : kKeyCommands) {
        auto* action = new QAction(tr(one.words), this);
        action->setToolTip(tr("In the timeline"));
        connect(action, &QAction::triggered, this, [this, key = one.key] {
            QKeyEvent press(QEvent::KeyPress, key, Qt::NoModifier);
            navigate(&press);
        });
        addAction(action);
    }
}

bool TimelineWidget::navigate(QKeyEvent* event) {
    const TimeRange window = selection_.window();
    const Ns width = window.end - window.start;
    const Ns middle = window.start + width / 2;
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    const auto extend = [&](Ns by) {
        const TimeRange marked = selection_.marked().value_or(TimeRange{middle, middle});
        selection_.setFollowing(false);
        selection_.mark(TimeRange{marked.start, std::max(marked.start, marked.end + by)});
    };
    switch (event->key()) {
        case Qt::Key_Left: shift ? extend(-width / 50) : selection_.pan(-width / 10); return true;
        case Qt::Key_Right: shift ? extend(width / 50) : selection_.pan(width / 10); return true;
        case Qt::Key_Plus:
        case Qt::Key_Equal: selection_.zoom(middle, 1 / kZoomOfKey); return true;
        case Qt::Key_Up: shift ? moveCurrent(-1) : selection_.zoom(middle, 1 / kZoomOfKey); return true;
        case Qt::Key_Minus: selection_.zoom(middle, kZoomOfKey); return true;
        case Qt::Key_Down: shift ? moveCurrent(1) : selection_.zoom(middle, kZoomOfKey); return true;
        case Qt::Key_Home:
            selection_.setWindow({selection_.extent().start, selection_.extent().start + width});
            return true;
        case Qt::Key_End: selection_.setWindow({selection_.extent().end - width, selection_.extent().end}); return true;
        case Qt::Key_0: selection_.fit(); return true;
        case Qt::Key_Z:
            if (selection_.marked()) selection_.setWindow(*selection_.marked());
            return true;
        case Qt::Key_F: selection_.setFollowing(true); return true;
        case Qt::Key_Space: selection_.setFollowing(!selection_.following()); return true;
        case Qt::Key_Escape: selection_.mark(std::nullopt); return true;
        case Qt::Key_A: selection_.pan(-width / 10); return true;
        case Qt::Key_D: selection_.pan(width / 10); return true;
        case Qt::Key_W: selection_.zoom(middle, 1 / kZoomOfKey); return true;
        case Qt::Key_S: selection_.zoom(middle, kZoomOfKey); return true;
        case Qt::Key_BracketRight: goToWait(1); return true;
        case Qt::Key_BracketLeft: goToWait(-1); return true;
        case Qt::Key_Period: inspect(1); return true;
        case Qt::Key_Comma: inspect(-1); return true;
        case Qt::Key_P: togglePin(marks_.current); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: return openGroup(marks_.current);
        case Qt::Key_L:
            rows_.setSort(rows_.sort() == RankSort::Rank ? RankSort::LateFirst : RankSort::Rank);
            return true;
        case Qt::Key_G: rows_.setCollapsed(!rows_.collapsed()); return true;
        default: return false;
    }
}

void TimelineWidget::inspect(int direction) {
    const TimeRange window = selection_.window();
    const int count = static_cast<int>(frame_->boxes.size());
    for (int tried = 0; tried < count; ++tried) {
        inspected_ = (inspected_ + direction + count) % count;
        const TimelineBox& box = frame_->boxes[static_cast<std::size_t>(inspected_)];
        if (box.span.end <= window.start || box.span.start >= window.end) continue;
        const QRectF lane = layout_.lane(static_cast<std::size_t>(box.row));
        const Ns seen = std::clamp((box.span.start + box.span.end) / 2, window.start, window.end);
        pointTo(scale().xAt(seen));
        showBox(box, mapToGlobal(QPointF(*pointerX_, lane.center().y()).toPoint()));
        update();
        return;
    }
}

// Centres the window on the nearest wait in this direction (−1 or 1), or moves it on by its length if the frame has
// none. Stays if waits are hidden.
void TimelineWidget::goToWait(int direction) {
    if (contains(rows_.hiddenKinds(), SpanKind::Wait)) {
        QToolTip::showText(mapToGlobal(rect().center()), tr("Waits are hidden: show them in the legend to go to one."),
                           this);
        return;
    }
    const TimeRange window = selection_.window();
    const Ns width = window.end - window.start;
    const Ns middle = window.start + width / 2;
    const TimelineBox* nearest = nullptr;
    const auto middleOf = [](const TimelineBox& box) { return box.span.start + (box.span.end - box.span.start) / 2; };
    for (const TimelineBox& box : frame_->boxes) {
        if (box.span.kind != SpanKind::Wait) continue;
        const Ns away = (middleOf(box) - middle) * direction;
        // The wait at the middle is the one reached last, not the next one.
        if (away <= std::max<Ns>(1, width / 1000)) continue;
        if (!nearest || away < (middleOf(*nearest) - middle) * direction) nearest = &box;
    }
    const Ns target = nearest ? middleOf(*nearest) : middle + direction * width;
    selection_.setWindow({target - width / 2, target - width / 2 + width});
}

}  // namespace dasgd::gui
