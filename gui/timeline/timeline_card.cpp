#include "gui/timeline/timeline_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "core/analysis/inflation.h"
#include "gui/data/spans/timeline_rows.h"
#include "gui/timeline/kind_legend.h"
#include "gui/timeline/model/find/span_name_query.h"

namespace dasgd::gui {

namespace {

constexpr int kSpareWidth = 16;      // spare width of the head, for words that become longer
constexpr int kHiddenDelayMs = 150;  // pause after the window's last move before the strip is requested
// Limits of the pause between two requests of the strip while the window follows a run. Within them the pause is two
// thirds of the window's length, so that the strip covers at least a third of the window.
constexpr int kLeastHiddenPauseMs = 150, kHiddenPauseMs = 1000;
constexpr int kRangePauseMs = 150;  // least time between two updates of the window's times
constexpr int kBesideTitle = 18;
constexpr int kLeastTimeline = 218;  // least height, enough for a few ranks

QString windowText(TimeRange window) {
    const double width = static_cast<double>(window.end - window.start) / 1e9;
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(width))) + 1, 1, 7);
    return QStringLiteral("%1 – %2 s")
        .arg(static_cast<double>(window.start) / 1e9, 0, 'f', digits)
        .arg(static_cast<double>(window.end) / 1e9, 0, 'f', digits);
}

}  // namespace

QString overlapInWords(const storage::RunDetail& detail) {
    QStringList parts;
    const storage::RunRow& row = detail.row;
    parts << (row.hidden                ? QStringLiteral("hidden %1 %").arg(percent(row.hidden))
              : row.stepMs              ? QStringLiteral("nothing was transferred")
              : row.status == "running" ? QStringLiteral("not timed yet")
                                        : QStringLiteral("not timed"));
    if (const auto ms = blockedMsPerStep(detail.row)) {
        parts << QStringLiteral("blocked %1 ms/step").arg(shortNumber(*ms, 2));
    }
    if (row.skewS) parts << QStringLiteral("skew ") + durationInWords(std::llround(*row.skewS * 1e9)).text();
    if (row.inflation) {
        QString text =
            QStringLiteral("compute inflation ") + QString::fromStdString(inflationInWords(detail.inflation));
        if (row.inflationRanks < row.workers) {
            text += QStringLiteral(" (%1 of %2 ranks)").arg(row.inflationRanks).arg(row.workers);
        }
        parts << text;
    } else if (row.hidden) {
        parts << QStringLiteral("compute inflation not known");
    }
    if (const auto& slowest = detail.straggler) {
        parts << QStringLiteral("longest compute: rank %1 (+%2 %)")
                     .arg(slowest->rank)
                     .arg(QString::number(slowest->excess * 100, 'f', slowest->excess < 0.1 ? 1 : 0));
    }
    return parts.join(QStringLiteral("     "));
}

TimelineCard::TimelineCard(Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      session_(session),
      query_(session.feed().query<TimelineQuery>()),
      timeline_(new TimelineWidget(session.selection(), session.timelineRows(), look)),
      rangePace_(kRangePauseMs, [this] { updateRange(); }) {
    head_ = new QBoxLayout(QBoxLayout::LeftToRight);
    head_->setSpacing(7);
    auto* kinds = new QHBoxLayout;
    kinds->addWidget(title_ = makeLabel(tr("Timeline"), "head"));
    kinds->addSpacing(kBesideTitle);
    kinds->addWidget(legend_ = new KindLegend(session.timelineRows(), look));
    kinds->addStretch();
    head_->addLayout(kinds, 1);
    auto* state = state_ = new QHBoxLayout;
    state->setSpacing(10);
    state->addStretch();
    state->addWidget(choices_ = makeChoices());
    follow_ = makeQuietButton({}, tr("Follow the newest spans, or hold still  F, Space"));
    follow_->setCheckable(true);
    range_ = new ElidedLabel;
    range_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    state->addWidget(follow_);
    state->addWidget(range_);
    head_->addLayout(state);
    strip_ = new WrappedLabel("");
    strip_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    strip_->setToolTip(
        tr("Hidden: part of the time of transfers in which the rank computed. Blocked: time it stood waiting.\n"
           "Skew: how long a rank that has arrived waits for the last one; no part of the transfer.\n"
           "Inflation: forward and backward time of a step while bytes move, against while none do;\n"
           "of each rank, then the mean with half its 95 % interval over the ranks; within noise where 1 lies in it.\n"
           "Grey stretches (evaluations, checkpoints) count for none of them."));
    body().setContentsMargins(kPadding, 11, kPadding, 12);
    body().addLayout(head_);
    body().addWidget(timeline_, 1);
    body().addWidget(strip_);

    connect(follow_, &QToolButton::toggled, &session_.selection(), &TimeSelection::setFollowing);
    connect(&session_.selection(), &TimeSelection::followingChanged, this, &TimelineCard::updateFollow);
    connect(&session_.selection(), &TimeSelection::windowChanged, this, [this] { rangePace_.request(); });
    connect(&session_, &Session::currentChanged, this, &TimelineCard::startOver);
    connect(&session_, &Session::shownChanged, this, &TimelineCard::fitHead);
    connect(&session_, &Session::detailChanged, this, &TimelineCard::updateStrip);
    connect(&session_, &Session::pulseChanged, this, [this] {
        updateFollow();
        if (waits_) ask(timeline_->view());
    });
    connect(timeline_, &TimelineWidget::wanted, this, [this](const TimelineView& view) { ask(view); });
    connect(timeline_, &TimelineWidget::measureWanted, this,
            [this](TimeRange range) { query_.requestMeasure(session_.currentId(), range); });
    connect(&query_, &TimelineQuery::arrived, this, [this](const TimelineFramePtr& frame) {
        if (QString::fromStdString(frame->runId) == session_.currentId()) timeline_->setFrame(frame);
    });
    connect(&query_, &TimelineQuery::measured, this, [this](const Measure& measure) {
        if (QString::fromStdString(measure.runId) == session_.currentId()) timeline_->setMeasure(measure);
    });
    auto& names = session_.feed().query<SpanNameQuery>();
    connect(timeline_, &TimelineWidget::nameWanted, this, [this, &names](const RankSpan& span) {
        // In runs that were not imported, only operators and kernels of profiled steps have names.
        const RunItemPtr run = session_.current();
        if (run && (run->row.imported() || span.span.kind == SpanKind::Compute))
            names.request(session_.currentId(), span);
    });
    connect(&names, &SpanNameQuery::arrived, this, [this](const SpanName& name) {
        if (name.runId == session_.currentId()) timeline_->setSpanName(name.span, name.name);
    });
    TimelineRows& rows = session_.timelineRows();
    connect(&rows, &TimelineRows::planChanged, this, &TimelineCard::updateRows);
    connect(&rows, &TimelineRows::latenessChanged, this, &TimelineCard::updateRows);
    connect(&rows, &TimelineRows::kindsChanged, this, &TimelineCard::updateStrip);
    settle_.setSingleShot(true);
    connect(&settle_, &QTimer::timeout, this, &TimelineCard::requestHidden);
    startOver();
    // A range marked on another page was measured for that page only, so it is requested here too.
    const auto marked = session_.selection().marked();
    if (marked && session_.current()) query_.requestMeasure(session_.currentId(), *marked);
}

// Controls for the shown ranks and their order.
QWidget* TimelineCard::makeChoices() {
    auto* choices = new QWidget;
    auto* row = padded(spaced(new QHBoxLayout(choices), 4), {0, 0, 0, 0});
    sort_ = new Choice(tr("Order of the ranks  L"), {tr("by rank"), tr("late first")}, 0);
    groups_ = makeQuietButton(tr("groups"), tr("Collapse ranks that are not pinned, or show each  G"));
    groups_->setCheckable(true);
    row->addWidget(sort_);
    row->addWidget(groups_);
    choices->hide();
    TimelineRows& rows = session_.timelineRows();
    connect(sort_, &Choice::changed, this, [&rows](int option) { rows.setSort(static_cast<RankSort>(option)); });
    connect(groups_, &QToolButton::clicked, this, [&rows](bool collapsed) { rows.setCollapsed(collapsed); });
    return choices;
}

void TimelineCard::showDetails() {
    details_ = true;
    timeline_->setFoot(true);
    auto& hidden = session_.feed().query<HiddenQuery>();
    connect(&hidden, &HiddenQuery::arrived, this, &TimelineCard::takeHidden);
    connect(timeline_, &TimelineWidget::wanted, this, [this] {
        if (!session_.selection().following()) return settle_.start(kHiddenDelayMs);
        const TimeRange window = session_.selection().window();
        const Ns part = (window.end - window.start) / 3 * 2 / 1'000'000;
        const auto pause = static_cast<int>(std::clamp<Ns>(part, kLeastHiddenPauseMs, kHiddenPauseMs));
        if (!settle_.isActive()) settle_.start(pause);
    });
    updateRows();
}

void TimelineCard::requestHidden() {
    if (!timeline_->isVisible() || !session_.current()) return;
    // The range includes margins: a step cut by its edge would count only part of its transfers.
    session_.feed().query<HiddenQuery>().request(session_.currentId(), timeline_->view().range);
}

void TimelineCard::takeHidden(const HiddenAnswer& answer) {
    if (answer.runId != session_.currentId()) return;
    const bool live = session_.pulse().live;
    timeline_->setHiddenStrip({answer.steps, answer.tooMany ? tr("zoom in to see the hidden share of each step")
                                             : !answer.steps.empty() ? tr("each step needs a rank of its own, and room")
                                             : live                  ? tr("no average in this window is timed yet")
                                                                     : tr("no average in this window is timed")});
}

void TimelineCard::updateRows() {
    const TimelineRows& rows = session_.timelineRows();
    choices_->setVisible(details_ && rows.workers() > 1);
    const QSignalBlocker still(sort_);
    sort_->choose(static_cast<int>(rows.sort()));
    groups_->setChecked(rows.collapsed());
    groups_->setText(rows.collapsed() ? tr("▸ groups") : tr("▾ every rank"));
    fitHead();
}

void TimelineCard::resizeEvent(QResizeEvent* event) {
    Card::resizeEvent(event);
    fitHead();
}

void TimelineCard::fitHead() {
    const RunItemPtr run = session_.current();
    // Runs that were not imported have operators and profiler work too, if steps were profiled.
    const bool profiled = run && run->row.config.find("[record.profile]") != std::string::npos;
    legend_->setImported(run && (run->row.imported() || profiled));
    const QMargins around = body().contentsMargins();
    const int kinds = title_->sizeHint().width() + kBesideTitle + legend_->widthOfOneRow() + around.left() +
                      around.right() + kSpareWidth;
    // A card wider than its scroll area was widened by its own head, so the area's width counts.
    const int room = parentWidget() ? std::min(width(), parentWidget()->width()) : width();
    const bool fits = room >= kinds + state_->sizeHint().width() + head_->spacing();
    head_->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    legend_->setRows(room >= kinds ? 1 : 2);
}

int TimelineCard::leastHeight() const {
    return minimumSizeHint().height() - std::max(0, timeline_->minimumHeight() - kLeastTimeline);
}

void TimelineCard::hideEvent(QHideEvent* event) {
    Card::hideEvent(event);
    query_.release(this);
    if (details_) session_.feed().query<HiddenQuery>().release();
}

void TimelineCard::ask(const TimelineView& view) {
    // A hidden timeline asks when it is shown, since timelines of other pages share the query.
    if (!timeline_->isVisible() && window()->isVisible()) return;
    // Until the extent of the run is known, the window belongs to another run and is not read.
    waits_ = session_.pulse().runId != session_.currentId();
    if (!waits_) query_.request({session_.currentId(), view, this});
}

void TimelineCard::startOver() {
    timeline_->clear();
    fitHead();
    if (session_.current()) ask(timeline_->view());
    updateFollow();
    updateRange();
    updateStrip();
    updateRows();
}

void TimelineCard::updateFollow() {
    const bool following = session_.selection().following();
    follow_->setVisible(session_.pulse().live);
    follow_->setChecked(following);
    follow_->setText(following ? tr("● following") : tr("❚❚ paused"));
    const bool none = session_.pulse().spans == 0;
    const RunItemPtr run = session_.current();
    const bool expected = session_.pulse().live && run && run->keepsSpans;
    timeline_->setEmptyText(
        !none             ? QString()
        : !run            ? tr("No run to draw. Set one up on the Experiment page (Ctrl+1), or open a trace on the "
                                          "Timeline page (Ctrl+O).")
        : expected        ? tr("No spans yet: they appear with the first step.")
        : run->keepsSpans ? tr("This run ended before its first step: it has no spans.")
                          : tr("This run keeps no spans. Run it with [record] trace = \"full\"."));
    fitHead();
}

void TimelineCard::updateRange() { range_->say(windowText(session_.selection().window())); }

void TimelineCard::updateStrip() {
    std::optional<storage::RunDetail> detail = session_.detail();
    // The row of the list is newer than that of the detail, and is what the key figures show.
    if (const RunItemPtr run = session_.current(); run && detail) detail->row = run->row;
    QString words = detail ? overlapInWords(*detail) : QString();
    const QString hidden = hiddenKindsInWords(session_.timelineRows().hiddenKinds());
    if (!hidden.isEmpty()) words += tr("     not drawn: %1; the numbers count them").arg(hidden);
    strip_->say(words.trimmed());
}

}  // namespace dasgd::gui
