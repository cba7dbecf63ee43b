#include "gui/run/rank_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "gui/data/spans/timeline_rows.h"
#include "gui/kit/parts/row_table.h"

namespace dasgd::gui {

namespace {

constexpr int kRankRowHeight = 26;
constexpr int kLookMs = 1000;

// Paints values beyond noise in a warning colour; the cells' words name them too.
class RankDelegate : public QStyledItemDelegate {
public:
    RankDelegate(const RankTableModel& model, const Look& look, QObject* parent)
        : QStyledItemDelegate(parent), model_(model), look_(look) {}

protected:
    void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
        QStyledItemDelegate::initStyleOption(option, index);
        const bool tells = index.column() == RankTableModel::Rank || index.column() == RankTableModel::Late;
        if (tells && model_.isMarked(index.row())) option->palette.setColor(QPalette::Text, look_.theme().warn);
    }

private:
    const RankTableModel& model_;
    const Look& look_;
};

}  // namespace

RankCard::RankCard(Session& session, const Look& look, QWidget* parent)
    : Card(parent),
      session_(session),
      lateness_(session.feed().query<LatenessQuery>()),
      note_(makeLabel({}, "small")),
      table_(new QTableView),
      silence_(makeLabel({}, "warn")) {
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(tr("Ranks"), "head"));
    head->addStretch();
    note_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    note_->setAlignment(Qt::AlignRight);
    head->addWidget(note_, 1);
    head->setContentsMargins(kPadding - 1, 0, kPadding - 1, 0);
    setUpRows(*table_, tr("Ranks"), kRankRowHeight);
    table_->setModel(&model_);
    table_->setItemDelegate(new RankDelegate(model_, look, table_));
    table_->horizontalHeader()->setMinimumSectionSize(50);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table_->horizontalHeader()->setSectionResizeMode(RankTableModel::Rank, QHeaderView::Stretch);
    table_->setMinimumHeight(150);
    body().setContentsMargins(1, 11, 1, 6);
    body().addLayout(head);
    silence_->setWordWrap(true);
    silence_->setContentsMargins(kPadding - 1, 0, kPadding - 1, 0);
    silence_->hide();
    body().addWidget(silence_);
    body().addWidget(table_, 1);
    showNow(false);
    connect(&look_, &QTimer::timeout, this, &RankCard::showSilence);
    connect(&session_.feed().query<RankStatesQuery>(), &RankStatesQuery::arrived, this, &RankCard::take);
    connect(&lateness_, &LatenessQuery::arrived, this, &RankCard::takeLateness);
    connect(&session_, &Session::currentChanged, this, [this] {
        model_.setLateness(std::nullopt);
        model_.take({});
        showNow(false);
        heard_.clear();
        showSilence();
    });
}

RankCard::~RankCard() { lateness_.release(this); }

void RankCard::showEvent(QShowEvent* event) {
    Card::showEvent(event);
    lateness_.want(this);
    look_.start(kLookMs);
}

void RankCard::hideEvent(QHideEvent* event) {
    Card::hideEvent(event);
    lateness_.release(this);
    look_.stop();
}

// Passes the lateness on to the session's rows too, from which the page's timeline takes its marks.
void RankCard::takeLateness(const LatenessAnswer& answer) {
    if (answer.runId != session_.currentId()) return;
    model_.setLateness(answer.lateness);
    if (isVisible()) session_.timelineRows().setLateness(answer.lateness);
}

void RankCard::showSilence() {
    const RunItemPtr run = session_.current();
    const auto& detail = session_.detail();
    QString words;
    // The time since the last record is known only if the run uses the clock of this host.
    if (run && detail && isLive(run->row) && !run->row.timeSimulated && detail->clockOrigin > 0) {
        const Ns now = MonotonicClock::rawNow() - detail->clockOrigin;
        words = silenceInWords(heard_, now, run->row.stepMs.value_or(0) / 1e3);
    }
    silence_->setText(words);
    silence_->setVisible(!words.isEmpty());
}

void RankCard::showNow(bool live) {
    for (int column = RankTableModel::kFirstNow; column < RankTableModel::kColumns; ++column) {
        table_->setColumnHidden(column, !live);
    }
}

void RankCard::take(const RankStates& states) {
    if (states.runId != session_.currentId()) return;
    model_.take(states);
    heard_ = states.heard;
    showSilence();
    const bool live = !states.now.empty();
    showNow(live);
    note_->setText(
        live ? tr("in clean windows; now: the newest %1 s, evaluations left out").arg(shortNumber(states.seconds, 2))
             : tr("in clean windows"));
}

}  // namespace dasgd::gui
