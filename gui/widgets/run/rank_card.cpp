#include "gui/widgets/run/rank_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QVBoxLayout>

namespace dasgd::gui {

namespace {

constexpr int kRankRowHeight = 26;

}  // namespace

RankCard::RankCard(Session& session, QWidget* parent)
    : Card(parent), session_(session), note_(makeLabel({}, "small")), table_(new QTableView) {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Ranks"), "head"));
    head->addStretch();
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    note_->setAlignment(Qt::AlignRight);
    head->addWidget(note_, 1);
    head->setContentsMargins(kPadding - 1, 0, kPadding - 1, 0);
    table_->setModel(&model_);
    table_->setAccessibleName(tr("Ranks"));
    table_->setSelectionBehavior(QAbstractItemView::SelectRows);
    table_->setShowGrid(false);
    table_->setWordWrap(false);
    table_->setTabKeyNavigation(false);
    table_->verticalHeader()->hide();
    table_->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table_->verticalHeader()->setDefaultSectionSize(kRankRowHeight);
    table_->horizontalHeader()->setHighlightSections(false);
    table_->horizontalHeader()->setMinimumSectionSize(58);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(RankTableModel::Rank, QHeaderView::Stretch);
    table_->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table_->setMinimumHeight(150);
    body().setContentsMargins(1, 11, 1, 6);
    body().addLayout(head);
    body().addWidget(table_, 1);
    connect(&session_.feed().query<RankStatesQuery>(), &RankStatesQuery::arrived, this, &RankCard::take);
    connect(&session_, &Session::currentChanged, this, [this] { model_.take({}); });
}

void RankCard::take(const RankStates& states) {
    if (states.runId != session_.currentId()) return;
    model_.take(states);
    const bool live = !states.now.empty();
    for (int column = RankTableModel::kFirstNow; column < RankTableModel::kColumns; ++column) {
        table_->setColumnHidden(column, !live);
    }
    note_->setText(
        live ? tr("in clean windows; now: the newest %1 s, evaluations left out").arg(shortNumber(states.seconds, 2))
             : tr("in clean windows"));
}

}  // namespace dasgd::gui
