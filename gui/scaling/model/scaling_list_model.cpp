#include "gui/scaling/model/scaling_list_model.h"

#include <algorithm>
#include <map>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

QString titleOf(const ScalingLine& line) {
    const QString algorithm = QString::fromStdString(line.newest().row.algorithm);
    return line.newest().settings.isEmpty() ? algorithm : algorithm + QStringLiteral("  ") + line.newest().settings;
}

bool matches(const ScalingLine& line, const QStringList& words) {
    return std::all_of(words.begin(), words.end(), [&line](const QString& word) {
        return line.newest().haystack.contains(word) || line.inWords().contains(word);
    });
}

}  // namespace

ScalingListModel::ScalingListModel(ScalingBoard& board, QObject* parent) : QAbstractListModel(parent), board_(board) {
    connect(&board_, &ScalingBoard::linesChanged, this, &ScalingListModel::rebuild);
    connect(&board_, &ScalingBoard::drawnChanged, this, [this] {
        if (!rows_.empty()) emit dataChanged(index(0), index(rowCount() - 1));
    });
    rebuild();
}

void ScalingListModel::setFilter(const QString& words) {
    filter_ = words.toLower().split(QLatin1Char(' '), Qt::SkipEmptyParts);
    rebuild();
}

void ScalingListModel::rebuild() {
    std::vector<QString> experiments;
    std::map<QString, std::vector<Row>> below;
    for (const ScalingLine& line : board_.lines()) {
        if (!matches(line, filter_)) continue;
        const QString experiment = QString::fromStdString(line.newest().row.experiment);
        if (!below.contains(experiment)) experiments.push_back(experiment);
        below[experiment].push_back({experiment, &line});
    }
    beginResetModel();
    rows_.clear();
    for (const QString& experiment : experiments) {
        rows_.push_back({experiment});
        rows_.insert(rows_.end(), below[experiment].begin(), below[experiment].end());
    }
    endResetModel();
}

int ScalingListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

std::vector<const ScalingLine*> ScalingListModel::linesOf(const Row& row) const {
    if (row.line) return {row.line};
    std::vector<const ScalingLine*> lines;
    for (const Row& other : rows_) {
        if (other.line && other.experiment == row.experiment) lines.push_back(other.line);
    }
    return lines;
}

Qt::CheckState ScalingListModel::checkState(const Row& row) const {
    const auto lines = linesOf(row);
    const auto chosen = std::count_if(lines.begin(), lines.end(),
                                      [this](const ScalingLine* line) { return board_.isChosen(line->key); });
    if (chosen == 0) return Qt::Unchecked;
    return chosen == static_cast<std::ptrdiff_t>(lines.size()) ? Qt::Checked : Qt::PartiallyChecked;
}

QVariant ScalingListModel::dataOf(const ScalingLine& line, int role) const {
    const DrawnLine* drawn = board_.drawnOf(line.key);
    switch (role) {
        case Qt::DisplayRole: return drawn ? drawn->name : titleOf(line);
        case Qt::ToolTipRole: return asTip(titleOf(line) + QLatin1Char('\n') + line.inWords());
        case Qt::AccessibleTextRole: return titleOf(line) + QStringLiteral(", ") + line.inWords();
        case WordsRole: return line.inWords();
        case DrawnRole: return drawn != nullptr;
        case StyleRole: return drawn ? QVariant::fromValue(drawn->style) : QVariant();
        case HollowRole: return line.simulated();
        default: return {};
    }
}

QVariant ScalingListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Row& row = rows_[static_cast<std::size_t>(index.row())];
    if (role == IsExperiment) return row.line == nullptr;
    if (role == Qt::CheckStateRole) return static_cast<int>(checkState(row));
    if (row.line) return dataOf(*row.line, role);
    if (role == Qt::DisplayRole) return row.experiment;
    if (role == Qt::ToolTipRole) return asTip(row.experiment);
    return {};
}

bool ScalingListModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || role != Qt::CheckStateRole) return false;
    std::vector<std::string> keys;
    for (const ScalingLine* line : linesOf(rows_[static_cast<std::size_t>(index.row())])) keys.push_back(line->key);
    board_.choose(keys, value.toInt() != Qt::Unchecked);
    return true;
}

Qt::ItemFlags ScalingListModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    return Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable | Qt::ItemNeverHasChildren;
}

}  // namespace dasgd::gui
