// The ranks of a run as a table.
#pragma once

#include <QAbstractTableModel>

#include "core/analysis/spans/lateness.h"
#include "gui/run/model/rank_states.h"

namespace dasgd::gui {

class RankTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // Columns up to Inflation are over the run's clean windows, those from kFirstNow over the newest spans.
    enum Column {
        Rank,
        StepMs,
        Hidden,
        Blocked,
        Skew,
        Late,
        Inflation,
        NowRate,
        NowHidden,
        NowBlocked,
        NowSkew,
        NowCompute,
        kColumns
    };
    static constexpr Column kFirstNow = NowRate;

    explicit RankTableModel(QObject* parent = nullptr) : QAbstractTableModel(parent) {}
    void take(const RankStates& states);
    // Sets the lateness of the ranks at the averages; ranks later than noise are marked.
    void setLateness(const std::optional<Lateness>& lateness);
    // True if the rank is later than noise explains.
    [[nodiscard]] bool isMarked(int row) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        int rank = 0;
        std::optional<storage::RankRow> timed;
        std::optional<RankNow> now;
    };
    [[nodiscard]] QString textOf(const Row& row, int column) const;

    std::vector<Row> rows_;
    std::optional<Straggler> straggler_;
    std::optional<Lateness> lateness_;
};

}  // namespace dasgd::gui
