// The points of the Scaling view as numbers: one row for each line and number of workers.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <utility>
#include <vector>

#include "gui/scaling/model/scaling_board.h"

namespace dasgd::gui {

// Meaning of ± on this page.
inline const QString kStdOverSeeds = QStringLiteral("± ") + spreadOverSeeds(Spread::Std);

// pointInWords() with the meaning of ±, as a tool tip.
[[nodiscard]] QString pointTip(const DrawnLine& line, const ScalingPoint& point, const std::optional<Target>& target);

class ScalingTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column {
        Configuration,
        Workers,
        Batch,
        Seeds,
        StepMs,
        SamplesPerS,
        SpeedUp,
        Efficiency,
        Hidden,
        TimeToTarget,
        kColumns
    };
    enum Role { RunIdsRole = Qt::UserRole };

    explicit ScalingTableModel(ScalingBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;  // without the last column if there is no target
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    // Row of a drawn line at this number of workers; −1 if there is none.
    [[nodiscard]] int rowOf(std::size_t line, int workers) const;
    // Indices of the line and the point of a row; nullopt if there is no such row.
    [[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> placeOf(int row) const;

private:
    ScalingBoard& board_;
    std::vector<std::pair<std::size_t, std::size_t>> rows_;
    bool hasTarget_ = false;
};

}  // namespace dasgd::gui
