#include "gui/runs/model/run_list_model.h"

#include <QDateTime>
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "gui/data/runs/run_config.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

using Runs = std::vector<RunItemPtr>;

constexpr int kFewFound = 50;  // runs; more would make the groups hard to find

bool sameRow(const ListRow& a, const ListRow& b) { return a.isSame(b); }

// The rows in which two lists differ: `first` to `last` of the one, `first` to `nextLast` of the other.
struct Difference {
    int first = 0, last = 0, nextLast = 0;
};

Difference differenceOf(const ListRows& rows, const ListRows& next) {
    const auto [before, nextBefore] = std::mismatch(rows.begin(), rows.end(), next.begin(), next.end(), sameRow);
    const auto from = std::make_reverse_iterator(before), nextFrom = std::make_reverse_iterator(nextBefore);
    const auto [after, nextAfter] = std::mismatch(rows.rbegin(), from, next.rbegin(), nextFrom, sameRow);
    return {static_cast<int>(before - rows.begin()), static_cast<int>(after.base() - rows.begin()),
            static_cast<int>(nextAfter.base() - next.begin())};
}

}  // namespace

RunListModel::RunListModel(RunTableModel& runs, QObject* parent) : QAbstractTableModel(parent), runs_(runs) {
    connect(&runs_, &RunTableModel::taken, this, &RunListModel::takeRuns);
    takeRuns();
}

int RunListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int RunListModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : RunTableModel::kColumns + static_cast<int>(keyColumns_.size());
}

QVariant RunListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ListRow& row = rowAt(index.row());
    if (row.isGroup()) return groupData(*row.group, index.column(), role);
    const RunItem& run = *row.run;
    if (index.column() == RunTableModel::Settings && role == Qt::DisplayRole && row.group) {
        const QString differing = differingOf(*row.group).value(run.id);
        if (!differing.isEmpty()) return differing;
    }
    if (index.column() < RunTableModel::kColumns || role == RunTableModel::IdRole || role == RunTableModel::LiveRole) {
        return RunTableModel::dataOf(run, static_cast<RunTableModel::Column>(index.column()), role);
    }
    return keyData(run, index.column() - RunTableModel::kColumns, role);
}

QVariant RunListModel::groupData(const RunGroup& group, int column, int role) const {
    switch (role) {
        case GroupTitleRole: return group.title;
        case GroupWordsRole: {
            const QString means = group.meansInWords();
            return group.inWords(QDateTime::currentMSecsSinceEpoch()) +
                   (means.isEmpty() ? means : QStringLiteral("  ·  ") + means);
        }
        case GroupOpenRole: return group.open;
        case RunTableModel::LiveRole: return group.isLive();
        case Qt::DisplayRole: return column == 0 ? group.title : meanText(group, column);
        case Qt::AccessibleTextRole:
        case Qt::ToolTipRole:
            return group.title + QStringLiteral(": ") + group.inWords(QDateTime::currentMSecsSinceEpoch());
        default: return {};
    }
}

// With its own n where not all finished runs have the number.
QString RunListModel::meanText(const RunGroup& group, int column) {
    const bool isMeasured = column < RunTableModel::kColumns && column != RunTableModel::Seed &&
                            column != RunTableModel::Workers && RunTableModel::isNumeric(column);
    if (!isMeasured) return {};
    const auto field = static_cast<RunTableModel::Column>(column);
    const RunGroup::Mean mean = group.meanOf(field);
    if (!mean.value) return {};
    const QString text = RunTableModel::textOf(field, mean.value, mean.simulated);
    return mean.n == group.count("finished") ? text : text + QStringLiteral(" (n = %1)").arg(mean.n);
}

// Computed when a row of the group is drawn, once for each state of the list.
const QHash<QString, QString>& RunListModel::differingOf(const RunGroup& group) const {
    constexpr std::size_t kMostCompared = 1000;  // comparing more would block the window
    const auto known = differing_.constFind(group.key);
    if (known != differing_.cend()) return *known;
    return *differing_.insert(
        group.key, group.runs.size() <= kMostCompared ? differingSettings(group.runs) : QHash<QString, QString>());
}

QString RunListModel::filterOf(const std::vector<int>& rows) const {
    const bool every = !rows.empty() && static_cast<int>(rows.size()) == rowCount();
    if (every && !error_ && !filterText_.trimmed().isEmpty()) return filterText_.trimmed();
    QStringList groups;
    for (const int row : rows) {
        if (!rowAt(row).isGroup()) return {};
        groups << grouping_.filterOf(*rowAt(row).group);
    }
    return groups.join(QStringLiteral(" or "));
}

void RunListModel::setGrouping(const Grouping& grouping) {
    grouping_ = grouping;
    open_.clear();
    closed_.clear();
    seenGroups_.clear();
    openedNewest_ = false;
    openLiveGroups(sorted_);
    openNewestGroup();
    replaceRows(accepted());
}

void RunListModel::setOpen(int row, bool open) {
    const ListRow& at = rowAt(row);
    if (!at.isGroup() || at.group->open == open) return;
    const QString key = at.group->key;
    QSet<QString>& keys = finds_ ? closed_ : open_;
    if (open == finds_) {
        keys.remove(key);
    } else {
        keys.insert(key);
    }
    refreshRows();
}

// Opens the groups of live series.
void RunListModel::openLiveGroups(const Runs& runs) {
    if (grouping_.name() != QStringLiteral("series")) return;
    for (const RunItemPtr& run : runs) {
        const QString key = QString::fromStdString(run->row.series);
        if (key.isEmpty() || !isLive(run->row) || isOfJob(run->row) || seenGroups_.contains(key)) continue;
        seenGroups_.insert(key);
        open_.insert(key);
    }
}

// Opens the group of the newest run, which is most likely the one of interest.
void RunListModel::openNewestGroup() {
    if (openedNewest_ || sorted_.empty() || grouping_.name() != QStringLiteral("series")) return;
    openedNewest_ = true;
    const auto rank = [](const RunItemPtr& run) { return std::pair(!isOfJob(run->row), run->row.startedAt); };
    const auto newest = std::ranges::max_element(sorted_, {}, rank);
    if (!(*newest)->row.series.empty()) open_.insert(QString::fromStdString((*newest)->row.series));
}

QVariant RunListModel::keyData(const RunItem& run, int column, int role) const {
    const std::string* value = run.config.find(keyColumns_[column].toStdString());
    if (role == Qt::DisplayRole) return value ? settingValue(*value) : kAbsent;
    if (role == Qt::ToolTipRole)
        return keyColumns_[column] + QStringLiteral(" = ") + QString::fromStdString(value ? *value : "");
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | Qt::AlignLeft);
    return {};
}

QVariant RunListModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const int key = section - RunTableModel::kColumns;
    if (role == Qt::DisplayRole) {
        const QString name = key < 0 ? RunTableModel::nameOf(section) : keyColumns_[key].section(QLatin1Char('.'), -1);
        // The style would draw its arrow at the far end of the section, next to the next column's name.
        if (section != order_.column) return name;
        return name + (order_.direction == Qt::AscendingOrder ? QStringLiteral(" ↑") : QStringLiteral(" ↓"));
    }
    // Static, not through runs_: when a window closes, its views outlive the session.
    if (key < 0) return RunTableModel::headerOf(section, role);
    if (role == Qt::ToolTipRole) return keyColumns_[key];
    if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignVCenter | Qt::AlignLeft);
    return {};
}

void RunListModel::setKeyColumns(const QStringList& keys) {
    if (keys == keyColumns_) return;
    emit aboutToRearrange();
    beginResetModel();
    keyColumns_ = keys;
    if (!order_.key.empty()) {
        const auto place = static_cast<int>(keys.indexOf(QString::fromStdString(order_.key)));
        order_.column = place < 0 ? -1 : RunTableModel::kColumns + place;
    }
    endResetModel();
    emit rearranged();
}

void RunListModel::sort(int column, Qt::SortOrder order) {
    if (column < 0 || column >= columnCount()) return;
    const int key = column - RunTableModel::kColumns;
    order_ = {.column = column, .key = key < 0 ? std::string() : keyColumns_[key].toStdString(), .direction = order};
    order_.sort(sorted_);
    replaceRows(accepted());
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

std::optional<FilterError> RunListModel::setFilter(const QString& text) {
    filterText_ = text;
    closed_.clear();
    finds_ = false;
    if (compile()) replaceRows(accepted());
    return error_;
}

// Once true, the limit is doubled, so that new runs do not close groups while they are viewed.
void RunListModel::judgeFound() { finds_ = !inForce_.trimmed().isEmpty() && runCount_ <= (finds_ ? 2 : 1) * kFewFound; }

void RunListModel::show(LeftOut kind, bool shown) {
    if (std::exchange(kind == LeftOut::Archived ? showArchived_ : showParts_, shown) == shown) return;
    replaceRows(accepted());
    emit updated();
}

QString RunListModel::leftOutInWords() const {
    QStringList words;
    if (archivedCount_ > 0) words << tr("%1 archived").arg(grouped(archivedCount_));
    if (partCount_ > 0)
        words << (partCount_ == 1 ? tr("1 earlier part") : tr("%1 earlier parts").arg(grouped(partCount_)));
    return words.join(QStringLiteral(", "));
}

bool RunListModel::compile() {
    auto parsed = FilterExpression::parse(filterText_, fields_);
    error_ = parsed ? std::nullopt : std::optional(parsed.error());
    if (parsed) {
        filter_ = std::move(*parsed);
        inForce_ = filterText_;
        return true;
    }
    // The clause with the error is half typed: for "foo = 3", the filter before it was "foo", a word that the user did
    // not mean. The text before the clause is used instead.
    if (!filterText_.startsWith(inForce_) || inForce_.size() <= error_->at) return false;
    QString before = filterText_.left(error_->at).trimmed();
    while (!(parsed = FilterExpression::parse(before, fields_))) before = before.section(u' ', 0, -2).trimmed();
    filter_ = std::move(*parsed);
    inForce_ = before;
    return true;
}

ListRows RunListModel::accepted() {
    Runs runs;
    runs.reserve(sorted_.size());
    const bool leavesOut = !showArchived_ && !filter_.namesArchived();
    archivedCount_ = partCount_ = 0;
    for (const RunItemPtr& run : sorted_) {
        if (!filter_.accepts(*run)) continue;
        if (leavesOut && run->notes.archived) {
            ++archivedCount_;
        } else if (!showParts_ && parts_.has(run->row)) {
            ++partCount_;
        } else {
            runs.push_back(run);
        }
    }
    runCount_ = static_cast<int>(runs.size());
    judgeFound();
    return grouping_.rows(runs, {finds_ ? closed_ : open_, finds_}, sorted_);
}

void RunListModel::takeRuns() {
    bool newKeys = false;
    for (const RunItemPtr& run : runs_.items()) newKeys = fields_.add(*run) || newKeys;
    if (newKeys) compile();
    sorted_ = runs_.items();
    parts_ = {};
    for (const RunItemPtr& run : sorted_) parts_.see(run->row);
    order_.sort(sorted_);
    openLiveGroups(sorted_);
    openNewestGroup();
    refreshRows();
    emit updated();
}

void RunListModel::refreshRows() {
    differing_.clear();
    ListRows next = accepted();
    const ListRows before = rows_;
    if (updateRows(next)) {
        announceChanges(before);
    } else {
        replaceRows(std::move(next));
    }
}

void RunListModel::replaceRows(ListRows next) {
    differing_.clear();
    emit aboutToRearrange();
    beginResetModel();
    rows_ = std::move(next);
    endResetModel();
    emit rearranged();
}

// False if more than one step is needed.
bool RunListModel::updateRows(ListRows& next) {
    const auto [first, last, nextLast] = differenceOf(rows_, next);
    const auto at = [](ListRows& rows, int row) { return rows.begin() + row; };
    if (first == last && first == nextLast) {
        rows_ = std::move(next);
    } else if (first == last) {
        beginInsertRows({}, first, nextLast - 1);
        rows_ = std::move(next);
        endInsertRows();
    } else if (first == nextLast) {
        beginRemoveRows({}, first, last - 1);
        rows_ = std::move(next);
        endRemoveRows();
    } else if (last != nextLast || last - first < 2) {
        return false;
    } else if (sameRow(*at(rows_, first), *at(next, last - 1)) &&
               std::equal(at(rows_, first + 1), at(rows_, last), at(next, first), sameRow)) {
        beginMoveRows({}, first, first, {}, last);
        rows_ = std::move(next);
        endMoveRows();
    } else if (sameRow(*at(rows_, last - 1), *at(next, first)) &&
               std::equal(at(rows_, first), at(rows_, last - 1), at(next, first + 1), sameRow)) {
        beginMoveRows({}, last - 1, last - 1, {}, first);
        rows_ = std::move(next);
        endMoveRows();
    } else {
        return false;
    }
    return true;
}

void RunListModel::announceChanges(const ListRows& before) {
    std::unordered_set<const RunItem*> known;
    known.reserve(before.size());
    for (const ListRow& row : before) known.insert(row.run.get());
    for (int row = 0; row < rowCount(); ++row) {
        // The time left of a group changes with every update.
        if (rowAt(row).isGroup() || !known.contains(rowAt(row).run.get())) {
            emit dataChanged(index(row, 0), index(row, columnCount() - 1));
        }
    }
}

}  // namespace dasgd::gui
