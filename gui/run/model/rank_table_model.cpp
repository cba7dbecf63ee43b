#include "gui/run/model/rank_table_model.h"

#include <array>
#include <cmath>
#include <map>

#include "core/analysis/inflation.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

QString number(const std::optional<double>& value, int decimals, double scale = 1) {
    return value ? fixedNumber(*value * scale, decimals) : kAbsent;
}
QString share(const std::optional<double>& value) { return number(value, 1, 100); }

constexpr std::array<const char*, RankTableModel::kColumns> kTitles{
    "rank",      "ms/step",      "hidden %",      "blocked %",      "skew ms",      "late by\nms",
    "inflation", "steps/s\nnow", "hidden\n% now", "blocked\n% now", "skew\nms now", "compute\nms now"};
constexpr std::array<const char*, RankTableModel::kColumns> kHelp{
    "Its number; by how much the one that computes longest is above the median of the ranks, in the newest spans",
    "Time per step in clean windows: evaluations and what they disturb left out",
    "Part of the time of its transfers in which the rank computed",
    "Part of its time in which the rank stood waiting",
    "How long it waits for the last rank, mean of a collective",
    "How much later than the median rank it comes to the averages, mean of them; !: more than noise",
    "Forward and backward time of a step while bytes move, against while none do; a few per cent may be noise; none "
    "below 1, which is not measurable: steps without transfers were slower, for another reason",
    "Steps of the rank in a second, in the newest spans, over whole rounds from one reduction to another",
    "Part of the time of its transfers in which the rank computed, in the newest spans, before any clean window",
    "Part of the newest spans' time in which the rank stood waiting",
    "How long it waits for the last rank in the newest spans, mean of a collective",
    "Computing time of a step in the newest spans"};

}  // namespace

void RankTableModel::take(const RankStates& states) {
    std::map<int, Row> rows;
    for (const storage::RankRow& row : states.timed) rows[row.rank].timed = row;
    for (const RankNow& now : states.now) rows[now.rank].now = now;
    const bool reset = rows.size() != rows_.size();
    if (reset) beginResetModel();
    rows_.clear();
    for (auto& [rank, row] : rows) {
        row.rank = rank;
        rows_.push_back(std::move(row));
    }
    straggler_ = states.straggler;
    if (reset) {
        endResetModel();
    } else if (!rows_.empty()) {
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    }
}

void RankTableModel::setLateness(const std::optional<Lateness>& lateness) {
    lateness_ = lateness;
    if (!rows_.empty()) emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

bool RankTableModel::isMarked(int row) const {
    const int rank = rows_[static_cast<std::size_t>(row)].rank;
    const RankLateness* late = lateness_ ? lateness_->of(rank) : nullptr;
    return late && late->isBeyondNoise();
}

int RankTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RankTableModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : int{kColumns}; }

QString RankTableModel::textOf(const Row& row, int column) const {
    if (column == Rank) {
        const bool longest = straggler_ && straggler_->rank == row.rank;
        const QString rank = QString::number(row.rank);
        return longest ? QStringLiteral("%1  compute +%2 %").arg(rank, shortNumber(straggler_->excess * 100, 2)) : rank;
    }
    if (column == Late) {
        const RankLateness* late = lateness_ ? lateness_->of(row.rank) : nullptr;
        if (!late) return kAbsent;
        const QString ms = (late->lateNs < 0 ? QStringLiteral("−") : QStringLiteral("+")) +
                           fixedNumber(std::abs(late->lateNs) / 1e6, 1);
        return late->isBeyondNoise() ? ms + QStringLiteral(" !") : ms;
    }
    if (column >= kFirstNow) {
        if (!row.now) return kAbsent;
        switch (column) {
            case NowRate: return number(row.now->stepsPerS, 1);
            case NowHidden: return share(row.now->hidden);
            case NowBlocked: return share(row.now->blocked);
            case NowSkew: return number(row.now->skewMs, 2);
            default: return number(row.now->computeMs, 2);
        }
    }
    if (!row.timed) return kAbsent;
    switch (column) {
        case StepMs: return number(row.timed->stepMs, 2);
        case Hidden: return share(row.timed->hidden);
        case Blocked:
            return row.timed->blockedS && row.timed->measuredS.value_or(0) > 0
                       ? share(*row.timed->blockedS / *row.timed->measuredS)
                       : kAbsent;
        case Skew: return number(row.timed->skewS, 2, 1e3);
        default: return number(measurable(row.timed->inflation), 2);
    }
}

QVariant RankTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == Qt::DisplayRole) return textOf(row, index.column());
    if (role == Qt::ToolTipRole && index.column() == Late && lateness_) {
        const RankLateness* late = lateness_->of(row.rank);
        if (late) {
            return tr("noise ± %1 ms; last to arrive at %2 of %3 averages")
                .arg(shortNumber(late->noiseNs / 1e6, 2))
                .arg(late->last)
                .arg(late->averages);
        }
    }
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((index.column() == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

QVariant RankTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    const auto at = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole) return QString::fromLatin1(kTitles[at]);
    if (role == Qt::ToolTipRole) return QString::fromLatin1(kHelp[at]);
    if (role == Qt::TextAlignmentRole)
        return QVariant::fromValue((section == Rank ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

}  // namespace dasgd::gui
