#include "gui/timeline/view/timeline_widget.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"
#include "gui/timeline/view/timeline_foot.h"
#include "gui/timeline/view/timeline_painter.h"

namespace dasgd::gui {

namespace {

constexpr int kFollowMs = 120;     // least time between two pictures of the live edge
constexpr int kLateMs = 60;        // added to kFollowMs for the timer, which acts only if no new window comes first
constexpr double kZoomStep = 1.2;  // zoom factor of a notch of the wheel
constexpr double kLeastDrag = 3;   // smallest drag in pixels; less is a click
constexpr TimelineMetrics kMetrics{};
constexpr int kRowsBeside = 8;  // ranks and groups read above and below the visible ones

// Rows of a plan, for the layout before the first frame has arrived.
std::vector<TimelineRow> rowsOf(const RowPlan& plan) {
    std::vector<TimelineRow> rows;
    for (std::size_t place = 0; place < plan.size(); ++place) {
        const RankGroup& group = plan[place];
        for (const Lane lane : {Lane::Compute, Lane::Comm}) {
            rows.push_back({group.ranks.front(), lane, static_cast<int>(group.ranks.size()), static_cast<int>(place)});
        }
    }
    return rows;
}

QString milliseconds(Ns t) { return shortNumber(static_cast<double>(t) / 1e6, std::abs(t) < 10'000'000 ? 3 : 4); }

}  // namespace

TimelineWidget::TimelineWidget(TimeSelection& selection, TimelineRows& rows, const Look& look, QWidget* parent)
    : QWidget(parent), selection_(selection), rows_(rows), look_(look) {
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setFocusPolicy(Qt::StrongFocus);
    addKeyCommands();
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAccessibleName(tr("Overlap timeline"));
    marks_.handles = true;
    clear();
    connect(&rows_, &TimelineRows::planChanged, this, &TimelineWidget::takePlan);
    connect(&rows_, &TimelineRows::kindsChanged, this, &TimelineWidget::ask);
    connect(&rows_, &TimelineRows::latenessChanged, this, &TimelineWidget::takeLateness);
    connect(&selection_, &TimeSelection::windowChanged, this, [this](TimeRange window) {
        // While following, only the frame with the newest spans is painted, not the moved window before it too.
        const Ns width = window.end - window.start;
        if (pointerX_ && isVisible()) pointTo(pointerX_);
        const bool same = width == std::exchange(shownWidth_, width);
        if (selection_.following() && same && frame_->spans > 0) {
            // A request that is due is made at once, since the newest spans have just arrived.
            if (!asking_.isValid() || asking_.elapsed() >= kFollowMs) return ask();
            if (!follow_.isActive()) follow_.start(kFollowMs + kLateMs - static_cast<int>(asking_.elapsed()));
            return;
        }
        redraw();
        ask();
    });
    // A following window lies on whole pixels, a fixed one exactly where it was set, so the picture changes.
    connect(&selection_, &TimeSelection::followingChanged, this, [this] {
        redraw();
        ask();
    });
    follow_.setSingleShot(true);
    connect(&follow_, &QTimer::timeout, this, &TimelineWidget::ask);
    connect(&selection_, &TimeSelection::markedChanged, this, [this] {
        measure_.reset();
        if (const auto marked = selection_.marked()) emit measureWanted(*marked);
        update();
    });
    connect(&selection_, &TimeSelection::cursorMoved, this, &TimelineWidget::takeCursor);
    connect(&look_, &Look::changed, this, &TimelineWidget::repaintAll);
    takeLateness();
}

void TimelineWidget::clear() {
    auto empty = std::make_shared<TimelineFrame>();
    empty->plan = rows_.plan();
    empty->rows = rowsOf(*empty->plan);
    frame_ = empty;
    measure_.reset();
    marks_.hidden = {};
    marks_.current = -1;
    inspected_ = -1;
    relayout();
}

void TimelineWidget::setFrame(const TimelineFramePtr& frame) {
    const bool sameRows = frame->rows == frame_->rows && frame->plan == frame_->plan;
    const std::optional<RankGroup> current = currentRow();
    frame_ = frame;
    inspected_ = -1;
    if (!sameRows) {
        keepCurrent(current);
        relayout();
    }
    // Queued until the scroll area knows the new height.
    if (revealing_) QTimer::singleShot(0, this, &TimelineWidget::revealFound);
    redraw();
}

void TimelineWidget::setMeasure(const Measure& measure) {
    const auto marked = selection_.marked();
    if (!marked || marked->start != measure.range.start || marked->end != measure.range.end) return;
    measure_ = measure;
    update();
}

void TimelineWidget::setEmptyText(const QString& text) {
    if (text == emptyText_) return;
    emptyText_ = text;
    repaintAll();
}

TimeScale TimelineWidget::scale() const {
    const TimeScale scale{selection_.window(), layout_.plot().left(), std::max(1.0, layout_.plot().width())};
    return selection_.following() ? onWholePixels(scale) : scale;
}

void TimelineWidget::relayout() {
    TimelineMetrics metrics = kMetrics;
    metrics.foot = foot_ ? kFootHeight : 0;
    metrics.labels = labelsWidth(frame_->rows, screenStyle(look_.theme()), kMetrics.labels, kHandle);
    const double least = TimelineLayout::heightFor(frame_->rows, metrics, 0.55);
    setMinimumHeight(static_cast<int>(std::max(210.0, least)) + 8);
    layout_ = TimelineLayout(frame_->rows, QRectF(rect()).adjusted(0, 0, 0, -4), metrics);
    repaintAll();
}

void TimelineWidget::redraw() {
    picture_.touch();
    update();
}

void TimelineWidget::repaintAll() {
    picture_.invalidate();
    update();
}

TimelineView TimelineWidget::view() const {
    const TimeScale shown = scale();
    const Ns margin = (shown.window.end - shown.window.start) / 2;
    const PlaceRange seen = placesSeen();
    return {.range = {shown.window.start - margin, shown.window.end + margin},
            .nsPerPixel = shown.nsPerPixel(),
            .places = {seen.first - kRowsBeside, seen.last + kRowsBeside},
            .plan = rows_.plan(),
            .hidden = rows_.hiddenKinds()};
}

void TimelineWidget::ask() {
    const TimelineView wants = view();
    asked_ = wants.places;
    asking_.start();
    follow_.stop();
    emit wanted(wants);
}

// Places of the visible rows, which are few of hundreds of ranks.
PlaceRange TimelineWidget::placesSeen() const {
    const QRect seen = visibleRegion().boundingRect();
    // Newly chosen rows are not laid out yet, so the visible ones are not known: the first rows are taken.
    if (seen.isEmpty() || layout_.size() == 0 || (frame_->plan && frame_->plan != rows_.plan())) {
        return {0, kRowsBeside};
    }
    PlaceRange places{frame_->rows.back().placeOf(), frame_->rows.front().placeOf()};
    for (std::size_t row = 0; row < layout_.size(); ++row) {
        if (layout_.lane(row).bottom() < seen.top() || layout_.lane(row).top() > seen.bottom()) continue;
        places.first = std::min(places.first, frame_->rows[row].placeOf());
        places.last = std::max(places.last, frame_->rows[row].placeOf());
    }
    return places;
}

void TimelineWidget::resizeEvent(QResizeEvent*) {
    relayout();
    if (revealing_) QTimer::singleShot(0, this, &TimelineWidget::revealFound);
    ask();
}

// Asks again: while the widget was hidden, another view of the run may have requested its own frame.
void TimelineWidget::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    ask();
}

void TimelineWidget::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) repaintAll();
    QWidget::changeEvent(event);
}

// Paints the visible band only: hundreds of ranks are taller than a pixmap can be.
void TimelineWidget::paintPicture(const QRect& band) {
    picture_.paint({.frame = frame_,
                    .layout = layout_,
                    .scale = scale(),
                    .style = screenStyle(look_.theme()),
                    .marks = marks_,
                    .band = band,
                    .ratio = devicePixelRatioF(),
                    .instead = frame_->boxes.empty() ? emptyText_ : QString()});
}

void TimelineWidget::paintEvent(QPaintEvent* event) {
    const QRect seen = visibleRegion().boundingRect() | event->rect();
    // Other ranks were scrolled into view.
    if (const PlaceRange places = placesSeen(); !asked_.contains(places)) ask();
    paintPicture({0, seen.top(), width(), seen.height()});
    QPainter painter(this);
    // With a fractional pixel ratio the picture may end before the last pixel.
    if (devicePixelRatioF() != std::floor(devicePixelRatioF())) painter.fillRect(event->rect(), look_.theme().panel);
    painter.drawPixmap(picture_.band().topLeft(), picture_.pixmap());
    paintCursor(painter);
    paintMarked(painter);
    paintFound(painter);
    if (hasFocus()) {
        painter.setPen(QPen(look_.theme().accent, 1));
        painter.setBrush(Qt::NoBrush);
        const double under = rowsTop() - 4.5;
        painter.drawLine(QPointF(layout_.plot().left(), under), QPointF(layout_.plot().right(), under));
    }
}

void TimelineWidget::paintMarked(QPainter& painter) {
    const auto marked = selection_.marked();
    if (!marked) return;
    const TimeScale at = scale();
    const QRectF plot = layout_.plot();
    const double left = std::max(plot.left(), at.xAt(marked->start));
    const double right = std::min(plot.right(), at.xAt(marked->end));
    if (right < left) return;
    const QRectF area(left, plot.top() - 3, right - left, layout_.bounds().bottom() - plot.top() + 3);
    QColor tint = look_.theme().accent;
    tint.setAlphaF(0.13F);
    painter.fillRect(area, tint);
    painter.setPen(QPen(look_.theme().accent, 1));
    painter.drawLine(area.topLeft(), area.bottomLeft());
    painter.drawLine(area.topRight(), area.bottomRight());
    paintMeasure(painter, area);
}

void TimelineWidget::paintMeasure(QPainter& painter, const QRectF& marked) {
    if (!measure_) return;
    const OverlapSummary& mean = measure_->mean;
    const QString head = durationInWords(measure_->length()).text() + tr(" selected");
    const double hidden = mean.hiddenFraction();
    QStringList lines{tr("compute %1   transfer %2").arg(milliseconds(mean.compute), milliseconds(mean.transfer)),
                      std::isnan(hidden) ? tr("nothing was transferred")
                                         : tr("hidden %1, %2 % of the transfer")
                                               .arg(milliseconds(mean.hidden), QString::number(hidden * 100, 'f', 1)),
                      tr("skew %1   blocked %2").arg(milliseconds(mean.skew), milliseconds(mean.blocked)),
                      tr("idle %1").arg(milliseconds(mean.idle))};
    if (mean.reduce > 0) lines << tr("reduce, not divided %1").arg(milliseconds(mean.reduce));
    lines << (measure_->ranks == 1 ? tr("ms, of one rank") : tr("ms, mean of %1 ranks").arg(measure_->ranks));
    const QFont strong = interFont(12, Weight::SemiBold);
    const QFont plain = interFont(12);
    double width = QFontMetricsF(strong).horizontalAdvance(head);
    for (const QString& line : lines) width = std::max(width, QFontMetricsF(plain).horizontalAdvance(line));
    QRectF box(marked.right() + 10, std::max(marked.top(), rowsTop()) + 8, width + 24,
               28 + 18.0 * static_cast<double>(lines.size()) + 8);
    // The box stands right of the selection, else left of it, else inside.
    if (box.right() > layout_.plot().right()) box.moveRight(marked.left() - 10);
    if (box.left() < layout_.plot().left()) box.moveRight(layout_.plot().right() - 10);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(look_.theme().line, 1));
    painter.setBrush(look_.theme().panel);
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 8, 8);
    painter.setFont(strong);
    painter.setPen(look_.theme().text);
    painter.drawText(QPointF(box.left() + 12, box.top() + 21), head);
    painter.setFont(plain);
    painter.setPen(look_.theme().muted);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        painter.drawText(QPointF(box.left() + 12, box.top() + 42 + 18.0 * static_cast<double>(i)), lines[i]);
    }
}

double TimelineWidget::rowsTop() const { return picture_.band().top() + kMetrics.axis; }

const TimelineBox* TimelineWidget::boxAt(QPointF point) const {
    const int row = layout_.rowAt(point.y());
    if (row < 0 || point.y() < rowsTop() || point.y() >= footTop() || point.x() < layout_.plot().left()) return nullptr;
    const TimelineRow& lane = frame_->rows[static_cast<std::size_t>(row)];
    const TimeScale at = scale();
    const TimelineBox* best = nullptr;
    for (const TimelineBox& box : frame_->boxes) {
        if (box.row != row) continue;
        const double left = std::floor(at.xAt(box.span.start));
        const double right = std::max(left + 1, at.xAt(box.span.end));
        if (point.x() < left || point.x() >= right) continue;
        if (lane.isGroup() && !heightOf(box, lane, layout_.lane(static_cast<std::size_t>(row))).contains(point))
            continue;
        // The shortest of overlapping boxes is taken, since it is the hardest to hit.
        if (!best || box.span.end - box.span.start < best->span.end - best->span.start) best = &box;
    }
    return best;
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
    const QPoint delta = event->angleDelta();
    const int turned = std::abs(delta.x()) > std::abs(delta.y()) ? delta.x() : delta.y();
    const TimeRange window = selection_.window();
    const bool sideways = event->modifiers() & Qt::ShiftModifier || std::abs(delta.x()) > std::abs(delta.y());
    const double notches = turned / 120.0;
    // Otherwise a page that is scrolled would stop when the timeline comes under the pointer.
    if (!sideways && !hasFocus() && !(event->modifiers() & Qt::ControlModifier)) return event->ignore();
    if (sideways) {
        selection_.pan(static_cast<Ns>(-notches * 0.12 * static_cast<double>(window.end - window.start)));
    } else {
        selection_.zoom(scale().timeAt(event->position().x()), std::pow(kZoomStep, -notches));
    }
    event->accept();
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
    const bool pan = event->button() == Qt::MiddleButton ||
                     (event->button() == Qt::LeftButton && event->modifiers() & Qt::ControlModifier);
    if (!pan && event->button() != Qt::LeftButton) return;
    if (!pan && clickLabel(event->position())) return setFocus(Qt::MouseFocusReason);
    drag_ = pan ? Drag::Pan : Drag::Measure;
    pressed_ = event->position();
    // Stop following: the window must not scroll while the user drags a measurement.
    if (drag_ == Drag::Measure) selection_.setFollowing(false);
    anchor_ = scale().timeAt(std::max(pressed_.x(), layout_.plot().left()));
    setFocus(Qt::MouseFocusReason);
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
    const QRectF plot = layout_.plot();
    const double x = std::clamp(event->position().x(), plot.left(), plot.right());
    if (const int place = placeAt(event->position().y()); drag_ == Drag::None && place >= 0) setCurrent(place);
    pointTo(event->position().x() >= plot.left() ? std::optional(x) : std::nullopt);
    if (drag_ == Drag::Measure && std::abs(event->position().x() - pressed_.x()) >= kLeastDrag) {
        selection_.mark(TimeRange{anchor_, scale().timeAt(x)});
    } else if (drag_ == Drag::Pan) {
        selection_.pan(anchor_ - scale().timeAt(event->position().x()));
    }
    update();
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
    if (drag_ == Drag::Measure && std::abs(event->position().x() - pressed_.x()) < kLeastDrag) {
        selection_.mark(std::nullopt);
    }
    drag_ = Drag::None;
    update();
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    // The first click on a label has already acted.
    if (event->position().x() < layout_.plot().left()) return;
    drag_ = Drag::None;
    selection_.mark(std::nullopt);
    selection_.fit();
}

void TimelineWidget::leaveEvent(QEvent*) {
    pointTo(std::nullopt);
    update();
}

bool TimelineWidget::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        showTip(help->pos(), help->globalPos());
        return true;
    }
    return QWidget::event(event);
}

void TimelineWidget::showBox(const TimelineBox& box, QPoint global) {
    const TimelineRow& row = frame_->rows[static_cast<std::size_t>(box.row)];
    const QString text = boxDescription(box, row);
    QToolTip::showText(global, text, this);
    described_.reset();
    if (row.isGroup() || box.count > 1) return;
    described_ = Described{{row.rank, box.span}, text, global};
    emit nameWanted(described_->span);
}

void TimelineWidget::setSpanName(const RankSpan& span, const QString& name) {
    const bool same = described_ && described_->span.rank == span.rank &&
                      described_->span.span.start == span.span.start && described_->span.span.kind == span.span.kind;
    if (!same || name.isEmpty() || !QToolTip::isVisible() || QToolTip::text() != described_->text) return;
    QToolTip::showText(described_->at, name + u'\n' + described_->text, this);
    described_.reset();
}

}  // namespace dasgd::gui
