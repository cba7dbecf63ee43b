#include "gui/forms/plan_card.h"

#include <QHBoxLayout>
#include <QListWidget>
#include <algorithm>

namespace dasgd::gui {

namespace {

// "315 steps", "40 to 1 000 steps".
QString rangeText(const std::vector<PlannedRun>& runs, qint64 PlannedRun::*number) {
    const auto [least, most] = std::ranges::minmax_element(runs, {}, number);
    const QString low = grouped((*least).*number), high = grouped((*most).*number);
    return low == high ? low : QStringLiteral("%1 to %2").arg(low, high);
}

}  // namespace

PlanCard::PlanCard()
    : summary_(makeLabel({}, "small")),
      words_(makeLabel({}, "muted")),
      forecast_(makeLabel({})),
      set_(makeButton({}, false, tr("Write this delay into the text"))),
      list_(new QListWidget) {
    body().setContentsMargins(0, 13, 0, 6);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(kPadding, 0, kPadding, 0);
    head->addWidget(makeLabel(tr("Dry run"), "head"));
    head->addStretch();
    head->addWidget(summary_);
    body().addLayout(head);
    auto* forecast = new QHBoxLayout;
    forecast->setContentsMargins(kPadding, 0, kPadding, 2);
    forecast_->setWordWrap(true);
    forecast->addWidget(forecast_, 1);
    forecast->addWidget(set_, 0, Qt::AlignTop);
    connect(set_, &QPushButton::clicked, this, [this] { emit delayWanted(delay_, period_); });
    body().addLayout(forecast);
    words_->setContentsMargins(kPadding, 4, kPadding, 8);
    words_->setWordWrap(true);
    body().addWidget(words_);
    list_->setFrameShape(QFrame::NoFrame);
    list_->setStyleSheet(
        QStringLiteral("QListWidget { background: transparent; font-family: \"JetBrains Mono\"; "
                       "font-size: 12px; } QListWidget::item { padding: 2px 0; }"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setTextElideMode(Qt::ElideRight);
    list_->setUniformItemSizes(true);
    list_->setSelectionMode(QAbstractItemView::NoSelection);
    list_->setAccessibleName(tr("Runs of the experiment"));
    auto* indented = new QHBoxLayout;
    indented->setContentsMargins(kPadding - 4, 0, 1, 0);
    indented->addWidget(list_);
    body().addLayout(indented, 1);
    body().addStretch();
    showForecast(std::nullopt, false);
}

void PlanCard::showForecast(const std::optional<Hiding>& hiding, bool settable) {
    const bool exposes = hiding && hiding->exposing > 0;
    forecast_->setVisible(hiding.has_value());
    set_->setVisible(exposes && settable);
    if (!hiding) return;
    delay_ = hiding->enough;
    period_ = hiding->enoughPeriod();
    setTone(*forecast_, exposes ? "warn" : "small");
    forecast_->setText((exposes ? QStringLiteral("⚠  ") : QString()) + hiding->inWords());
    set_->setText(period_ > hiding->period ? tr("Set d = %1, τ = %2").arg(delay_).arg(period_)
                                           : tr("Set d = %1").arg(delay_));
}

void PlanCard::showPlan(const std::vector<PlannedRun>& runs, qint64 total) {
    list_->clear();
    words_->setVisible(runs.empty());
    list_->setVisible(!runs.empty());
    summary_->clear();
    if (runs.empty()) return;
    QStringList lines;
    const auto digits = QString::number(runs.size()).size();
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const PlannedRun& run = runs[i];
        lines << QString::number(i + 1).rightJustified(digits) + QStringLiteral("  ") +
                     (run.label.isEmpty() ? run.algorithm : run.label);
    }
    const qint64 more = total - static_cast<qint64>(runs.size());
    if (more > 0) lines << tr("… and %1 more").arg(grouped(more));
    list_->addItems(lines);
    summary_->setText(tr("%1 steps a run, %2 weights")
                          .arg(rangeText(runs, &PlannedRun::steps), rangeText(runs, &PlannedRun::parameters)));
}

void PlanCard::showWords(const QString& words) {
    showPlan({});
    words_->setText(words);
}

}  // namespace dasgd::gui
