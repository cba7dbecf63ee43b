#include "gui/scaling/model/scaling_table_model.h"

#include <array>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

namespace {

constexpr std::array<const char*, ScalingTableModel::kColumns> kScalingHeaders{
    "configuration", "workers",  "batch",        "seeds",    "ms/step",
    "samples/s",     "speed-up", "efficiency %", "hidden %", "s to target"};

constexpr std::array<const char*, ScalingTableModel::kColumns> kScalingHelp{
    "what the runs of this line have in common",
    "number of ranks",
    "samples of one worker in one step",
    "runs that the numbers of this row are of",
    "mean time of a step, evaluations and the first steps left out; ± standard deviation over the seeds",
    "training samples of all workers per second",
    "throughput ÷ that at the smallest number of workers of this line",
    "speed-up ÷ the ratio of the workers",
    "part of the reductions that ran while the rank computed",
    "time of training until the first evaluation that reaches the target; evaluations are left out"};

QString cellText(const DrawnLine& line, const ScalingPoint& point, ScalingTableModel::Column column) {
    switch (column) {
        case ScalingTableModel::Configuration: return line.name;
        case ScalingTableModel::Workers: return QString::number(point.workers);
        case ScalingTableModel::Batch: return QString::number(point.batch);
        case ScalingTableModel::Seeds: return QString::number(point.runIds.size());
        case ScalingTableModel::StepMs: return spreadText(point.stepMs);
        case ScalingTableModel::SamplesPerS: return spreadText(point.samplesPerS);
        case ScalingTableModel::SpeedUp: return spreadText(point.speedUp);
        case ScalingTableModel::Efficiency: return spreadText(point.efficiency, 100);
        case ScalingTableModel::Hidden: return spreadText(point.hidden, 100);
        default: return timeToTargetText(point);
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
        case Qt::DisplayRole: return cellText(line, point, static_cast<Column>(index.column()));
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
    const auto column = static_cast<std::size_t>(section);
    if (role == Qt::DisplayRole) return QString::fromUtf8(kScalingHeaders[column]);
    if (role == Qt::ToolTipRole) return QString::fromUtf8(kScalingHelp[column]);
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
