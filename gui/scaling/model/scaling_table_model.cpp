#include "gui/scaling/model/scaling_table_model.h"

#include <array>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::array<std::pair<const char*, const char*>, ScalingTableModel::StepMs> kFirstColumns{
    {{"configuration", "what the runs of this line have in common"},
     {"workers", "number of ranks"},
     {"batch", "samples of one worker in one step"},
     {"seeds", "runs that the numbers of this row are of"}}};

// Columns after the first ones are the numbers.
const ScalingNumber& numberOf(int column) {
    return kScalingNumbers[static_cast<std::size_t>(column - ScalingTableModel::StepMs)];
}

QString cellText(const DrawnLine& line, const ScalingPoint& point, int column) {
    switch (column) {
        case ScalingTableModel::Configuration: return line.name;
        case ScalingTableModel::Workers: return QString::number(point.workers);
        case ScalingTableModel::Batch: return QString::number(point.batch);
        case ScalingTableModel::Seeds: return QString::number(point.runIds.size());
        default: return numberOf(column).text(point);
    }
}

}  // namespace

QString pointTip(const DrawnLine& line, const ScalingPoint& point, const std::optional<Target>& target) {
    const QString words = pointInWords(line, point, target);
    return point.runIds.size() > 1 ? words + QLatin1Char('\n') + kStdOverSeeds : words;
}

ScalingTableModel::ScalingTableModel(ScalingBoard& board, QObject* parent)
    : QAbstractTableModel(parent), board_(board) {
    connect(&board_, &ScalingBoard::drawnChanged, this, [this] {
        beginResetModel();
        rows_.clear();
        hasTarget_ = board_.target().has_value();
        for (std::size_t line = 0; line < board_.drawn().size(); ++line) {
            for (std::size_t point = 0; point < board_.drawn()[line].points.size(); ++point) {
                rows_.emplace_back(line, point);
            }
        }
        endResetModel();
    });
}

int ScalingTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int ScalingTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : hasTarget_ ? kColumns : kColumns - 1;
}

QVariant ScalingTableModel::data(const QModelIndex& index, int role) const {
    const auto place = placeOf(index.row());
    if (!index.isValid() || !place) return {};
    const DrawnLine& line = board_.drawn()[place->first];
    const ScalingPoint& point = line.points[place->second];
    switch (role) {
        case Qt::DisplayRole: return cellText(line, point, index.column());
        case Qt::TextAlignmentRole:
            return static_cast<int>(Qt::AlignVCenter |
                                    (index.column() == Configuration ? Qt::AlignLeft : Qt::AlignRight));
        case Qt::ToolTipRole: return asTip(pointTip(line, point, board_.target()));
        case RunIdsRole: {
            QStringList ids;
            for (const std::string& id : point.runIds) ids << QString::fromStdString(id);
            return ids;
        }
        default: return {};
    }
}

QVariant ScalingTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns) return {};
    const auto [title, help] = section < StepMs ? kFirstColumns[static_cast<std::size_t>(section)]
                                                : std::pair(numberOf(section).title, numberOf(section).help);
    if (role == Qt::DisplayRole) return QString::fromUtf8(title);
    if (role == Qt::ToolTipRole) return QString::fromUtf8(help);
    if (role == Qt::TextAlignmentRole) {
        return static_cast<int>(Qt::AlignVCenter | (section == Configuration ? Qt::AlignLeft : Qt::AlignRight));
    }
    return {};
}

int ScalingTableModel::rowOf(std::size_t line, int workers) const {
    for (std::size_t row = 0; row < rows_.size(); ++row) {
        const auto& [ofLine, point] = rows_[row];
        if (ofLine == line && board_.drawn()[line].points[point].workers == workers) return static_cast<int>(row);
    }
    return -1;
}

std::optional<std::pair<std::size_t, std::size_t>> ScalingTableModel::placeOf(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    return rows_[static_cast<std::size_t>(row)];
}

}  // namespace dasgd::gui
