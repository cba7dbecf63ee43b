#include "gui/timeline/straggler_card.h"

#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gui/kit/words/words.h"
#include "gui/timeline/model/late_words.h"
#include "gui/timeline/numbers_table.h"

namespace dasgd::gui {

namespace {

QString inMilliseconds(double ns) {
    const double ms = ns / 1e6;
    return QString::number(std::abs(ms), 'f', std::abs(ms) < 10 ? 1 : 0);
}

}  // namespace

QString latenessInWords(const LatenessAnswer& answer) {
    if (!answer.lateness) return QStringLiteral("too few averages to tell a straggler from noise");
    const Lateness& all = *answer.lateness;
    QStringList beyond;
    for (const RankLateness& rank : all.ranks) {
        if (rank.isBeyondNoise()) beyond << QString::number(rank.rank);
    }
    const QString of = (answer.newestOnly ? QStringLiteral("of the newest %1") : QStringLiteral("of %1"))
                           .arg(counted(static_cast<qint64>(all.averages), "average"));
    QString noise = inMilliseconds(all.noiseNs) + QStringLiteral(" ms");
    if (answer.clockErrorNs > 0)
        noise +=
            QStringLiteral(", of which ± %1 ms the clocks of the hosts").arg(inMilliseconds(2 * answer.clockErrorNs));
    if (beyond.isEmpty()) return QStringLiteral("no rank is beyond noise (± %1), %2").arg(noise, of);
    if (beyond.size() == 1)
        return QStringLiteral("only rank %1 is beyond noise (± %2), %3").arg(beyond.front(), noise, of);
    if (beyond.size() > StragglerCard::kShown) {
        return QStringLiteral("%1 of %2 ranks are beyond noise (± %3), %4")
            .arg(beyond.size())
            .arg(all.ranks.size())
            .arg(noise, of);
    }
    return QStringLiteral("ranks %1 are beyond noise (± %2), %3").arg(beyond.join(QStringLiteral(", ")), noise, of);
}

std::map<int, QString> lateRanksInWords(const LatenessAnswer& answer) {
    std::map<int, QString> words;
    if (!answer.lateness) return words;
    for (const RankLateness& rank : answer.lateness->ranks) {
        if (!rank.isBeyondNoise()) continue;
        words[rank.rank] = QStringLiteral("rank %1 comes %2 late to the averages (noise ± %3 ms)")
                               .arg(rank.rank)
                               .arg(lateInWords(rank.lateNs), inMilliseconds(rank.noiseNs));
    }
    return words;
}

StragglerCard::StragglerCard(const Look& look, QWidget* parent) : Card(parent), look_(look) {
    body().addWidget(makeLabel(tr("Stragglers"), "head"));
    table_ = makeNumbersTable({tr("rank"), tr("late by"), tr("last at")}, tr("Ranks that come latest to the averages"));
    table_->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    table_->setToolTip(tr("After the median rank, mean over the averages. Enter pins the rank in the timeline."));
    body().addWidget(table_);
    body().addWidget(words_ = makeLabel({}, "small"));
    words_->setWordWrap(true);
    connect(table_, &QTableWidget::cellActivated, this,
            [this](int row) { emit rankChosen(table_->item(row, 0)->data(Qt::UserRole).toInt()); });
    connect(&look_, &Look::changed, this, [this] { setAnswer(shown_); });
    setAnswer({});
}

void StragglerCard::setNothing(const QString& why) {
    if (std::exchange(nothing_, why) != why) setAnswer(shown_);
}

void StragglerCard::setAnswer(const LatenessAnswer& answer) {
    shown_ = answer;
    const QString reading = nothing_.isEmpty() ? tr("reading …") : nothing_;
    words_->setText(answer.runId.isEmpty() ? reading : latenessInWords(answer));
    std::vector<RankLateness> latest;
    if (answer.lateness) latest = answer.lateness->ranks;
    std::ranges::stable_sort(latest, std::greater{}, &RankLateness::lateNs);
    if (latest.size() > kShown) latest.resize(kShown);
    table_->setRowCount(static_cast<int>(latest.size()));
    for (int row = 0; row < table_->rowCount(); ++row) {
        const RankLateness& rank = latest[static_cast<std::size_t>(row)];
        putText(*table_, row, 0, QString::number(rank.rank))->setData(Qt::UserRole, rank.rank);
        const QString late = lateInWords(rank.lateNs);
        QTableWidgetItem* by = putText(*table_, row, 1, rank.isBeyondNoise() ? late + QStringLiteral(" !") : late);
        by->setData(Qt::ForegroundRole, rank.isBeyondNoise() ? QVariant(QBrush(look_.theme().warn)) : QVariant());
        by->setToolTip(tr("noise ± %1 ms").arg(inMilliseconds(rank.noiseNs)));
        putText(*table_, row, 2, tr("%1 of %2").arg(rank.last).arg(rank.averages));
    }
    table_->setVisible(!latest.empty());
    table_->setFixedHeight(table_->horizontalHeader()->sizeHint().height() + kNumbersRow * table_->rowCount() + 2);
}

}  // namespace dasgd::gui
