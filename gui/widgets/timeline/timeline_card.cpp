#include "gui/widgets/timeline_card.h"

#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>
#include <array>
#include <cmath>

#include "gui/models/timeline/span_colors.h"
#include "gui/timeline/timeline_painter.h"

namespace dasgd::gui {

namespace {

// The kinds of the legend; the rarer ones say what they are under the pointer.
constexpr std::array<SpanKind, 9> kLegend{SpanKind::Forward, SpanKind::Backward, SpanKind::Update,
                                          SpanKind::Merge,   SpanKind::Skew,     SpanKind::Transfer,
                                          SpanKind::Wait,    SpanKind::Eval,     SpanKind::Data};

class Swatch : public QWidget {
public:
    explicit Swatch(SpanKind kind) : kind_(kind) { setFixedSize(12, 12); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor::fromRgb(rgbOf(kind_)));
        painter.drawRoundedRect(QRectF(rect()), 2, 2);
        if (kind_ != SpanKind::Wait) return;
        painter.setBrush(waitHatch());
        painter.drawRoundedRect(QRectF(rect()), 2, 2);
    }

private:
    SpanKind kind_;
};

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
        QString text = QStringLiteral("compute inflation ") + QString::number(*row.inflation, 'f', 2);
        if (row.inflationRanks < row.workers) {
            text += QStringLiteral(" (%1 of %2 ranks)").arg(row.inflationRanks).arg(row.workers);
        }
        parts << text;
    } else if (row.hidden) {
        parts << QStringLiteral("compute inflation not known");
    }
    if (const auto& slowest = detail.straggler) {
        parts << QStringLiteral("straggler: rank %1 (+%2 %)")
                     .arg(slowest->rank)
                     .arg(QString::number(slowest->excess * 100, 'f', slowest->excess < 0.1 ? 1 : 0));
    }
    return parts.join(QStringLiteral("     "));
}

TimelineCard::TimelineCard(Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      session_(session),
      query_(session.feed().query<TimelineQuery>()),
      timeline_(new TimelineWidget(session.selection(), look)) {
    auto* head = new QHBoxLayout;
    head->setSpacing(7);
    head->addWidget(makeLabel(tr("Overlap timeline"), "head"));
    head->addSpacing(22);
    for (const SpanKind kind : kLegend) {
        head->addWidget(new Swatch(kind));
        head->addWidget(makeLabel(QString::fromLatin1(nameOf(kind).data()), "small"));
        head->addSpacing(9);
    }
    head->addStretch();
    follow_ = makeQuietButton({}, tr("Follow the newest spans, or hold still  F, Space"));
    follow_->setCheckable(true);
    range_ = makeLabel({}, "small");
    head->addWidget(follow_);
    head->addWidget(range_);
    strip_ = makeLabel({});
    strip_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    strip_->setToolTip(
        tr("Hidden: part of the time of transfers in which the rank computed. Blocked: time it stood waiting.\n"
           "Skew: how long a rank that has arrived waits for the last one; no part of the transfer.\n"
           "Inflation: forward and backward time of a step while bytes move, against while none do;\n"
           "of each rank, then the mean. Grey stretches (evaluations, checkpoints) count for none of them."));
    body().setContentsMargins(kPadding, 11, kPadding, 12);
    body().addLayout(head);
    body().addWidget(timeline_, 1);
    body().addWidget(strip_);

    connect(follow_, &QToolButton::toggled, &session_.selection(), &TimeSelection::setFollowing);
    connect(&session_.selection(), &TimeSelection::followingChanged, this, &TimelineCard::updateFollow);
    connect(&session_.selection(), &TimeSelection::windowChanged, this, &TimelineCard::updateRange);
    connect(&session_, &Session::currentChanged, this, &TimelineCard::startOver);
    connect(&session_, &Session::detailChanged, this, &TimelineCard::updateStrip);
    connect(&session_, &Session::pulseChanged, this, &TimelineCard::updateFollow);
    connect(timeline_, &TimelineWidget::wanted, this, [this](const TimelineView& view) {
        // Another page's timeline answers to the same query.
        if (timeline_->isVisible() || !window()->isVisible()) query_.request({session_.currentId(), view});
    });
    connect(timeline_, &TimelineWidget::measureWanted, this,
            [this](TimeRange range) { query_.requestMeasure(session_.currentId(), range); });
    connect(&query_, &TimelineQuery::arrived, this, [this](const TimelineFramePtr& frame) {
        if (QString::fromStdString(frame->runId) == session_.currentId()) timeline_->setFrame(frame);
    });
    connect(&query_, &TimelineQuery::measured, this, [this](const Measure& measure) {
        if (QString::fromStdString(measure.runId) == session_.currentId()) timeline_->setMeasure(measure);
    });
    startOver();
}

void TimelineCard::startOver() {
    const RunItemPtr run = session_.current();
    timeline_->clear(run ? run->row.workers : 0);
    if (run) query_.request({run->id, timeline_->view()});
    updateFollow();
    updateRange();
    updateStrip();
}

void TimelineCard::updateFollow() {
    const bool following = session_.selection().following();
    follow_->setVisible(session_.pulse().live);
    follow_->setChecked(following);
    follow_->setText(following ? tr("● following") : tr("❚❚ paused"));
    const bool none = session_.pulse().spans == 0;
    const RunItemPtr run = session_.current();
    const bool expected = session_.pulse().live && run && run->keepsSpans;
    timeline_->setEmptyText(!none      ? QString()
                            : !run     ? tr("No run to draw.")
                            : expected ? tr("No spans yet: they appear with the first step.")
                                       : tr("This run keeps no spans. Run it with [record] trace = \"full\"."));
}

void TimelineCard::updateRange() { range_->setText(windowText(session_.selection().window())); }

void TimelineCard::updateStrip() {
    std::optional<storage::RunDetail> detail = session_.detail();
    // The row is the newer of the two, and the one that the key figures show.
    if (const RunItemPtr run = session_.current(); run && detail) detail->row = run->row;
    strip_->setText(detail ? overlapInWords(*detail) : QString());
}

}  // namespace dasgd::gui
