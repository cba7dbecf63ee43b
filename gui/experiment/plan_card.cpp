#include "gui/experiment/plan_card.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QListWidget>
#include <QStackedLayout>
#include <algorithm>

namespace dasgd::gui {

namespace {

// Range of a number over the runs: "315", "40 to 1 000".
QString rangeText(const std::vector<PlannedRun>& runs, qint64 PlannedRun::*number) {
    const auto [least, most] = std::ranges::minmax_element(runs, {}, number);
    const QString low = grouped((*least).*number), high = grouped((*most).*number);
    return low == high ? low : QStringLiteral("%1 to %2").arg(low, high);
}

constexpr int kLeastWidth = 440, kLeastLowWidth = 368;

QToolButton* makeSide(const QString& text, const QString& help) {
    QToolButton* button = makeQuietButton(text, help);
    button->setObjectName(QStringLiteral("side"));
    button->setCheckable(true);
    return button;
}

}  // namespace

PlanCard::PlanCard(ForecastBoard& board, const Look& look)
    : summary_(makeElasticLabel("small")),
      words_(makeLabel({}, "muted")),
      asForecast_(makeSide(tr("Forecast of one round"), tr("Computing, transfers and waits of one round, by formula"))),
      asRuns_(makeSide(tr("Runs"), tr("The runs that the dry run found"))),
      forecast_(new ForecastView(board, look)),
      list_(new QListWidget),
      sides_(new QStackedLayout) {
    body().setContentsMargins(0, 8, 0, 4);
    body().setSpacing(4);
    setMinimumWidth(kLeastWidth);
    makeHead();
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
    auto* runs = new QWidget;
    auto* indented = padded(new QHBoxLayout(runs), {kPadding - 4, 0, 1, 0});
    indented->addWidget(list_);
    auto* box = new QWidget;
    box->setLayout(sides_);
    sides_->addWidget(forecast_);
    sides_->addWidget(runs);
    body().addWidget(box, 1);
    body().addStretch();
    showPlan({});
}

void PlanCard::makeHead() {
    auto* head = padded(spaced(new QHBoxLayout, 4), {kPadding - 7, 0, 12, 0});
    auto* group = new QButtonGroup(this);
    for (QToolButton* one : {asForecast_, asRuns_}) {
        group->addButton(one);
        head->addWidget(one);
    }
    asForecast_->setChecked(true);
    connect(asForecast_, &QToolButton::clicked, this, [this] { turnTo(Side::Forecast); });
    connect(asRuns_, &QToolButton::clicked, this, [this] { turnTo(Side::Runs); });
    summary_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    head->addWidget(&forecast_->head(), 1);
    head->addWidget(summary_, 1);
    body().addLayout(head);
}

void PlanCard::setLow(bool low) {
    setMinimumWidth(low ? kLeastLowWidth : kLeastWidth);
    asForecast_->setText(low ? tr("Forecast") : tr("Forecast of one round"));
    asForecast_->setAccessibleName(tr("Forecast of one round"));
    forecast_->setLow(low);
}

void PlanCard::turnTo(Side side) {
    side_ = side;
    (side == Side::Runs ? asRuns_ : asForecast_)->setChecked(true);
    arrange();
}

void PlanCard::arrange() {
    const bool runs = side_ == Side::Runs;
    words_->setVisible(!planned_);
    sides_->parentWidget()->setVisible(planned_);
    sides_->setCurrentIndex(runs ? 1 : 0);
    forecast_->head().setVisible(planned_ && !runs);
    summary_->setVisible(!planned_ || runs);
}

QWidget& PlanCard::firstStop() const {
    return side_ == Side::Runs ? static_cast<QWidget&>(*list_) : forecast_->firstStop();
}

void PlanCard::showPlan(const std::vector<PlannedRun>& runs, qint64 total) {
    list_->clear();
    planned_ = !runs.empty();
    summary_->clear();
    asRuns_->setText(runs.empty() ? tr("Runs") : tr("Runs %1").arg(grouped(std::max<qint64>(total, std::ssize(runs)))));
    arrange();
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

void PlanCard::showChecking() {
    if (!planned_) words_->setText(tr("Checking …"));
}

}  // namespace dasgd::gui
