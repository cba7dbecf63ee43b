// The table of `dasgd compare`: mean ± spread, n, ratios to the baseline and to compute alone, significance; results at
// equal samples if the runs trained on different numbers of samples.
#pragma once

#include <QAbstractTableModel>

#include "gui/compare/model/compare_board.h"

namespace dasgd::gui {

class CompareTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // EqualLoss and EqualAccuracy exist only if Comparison::equalSamples is set.
    enum Column {
        Name,
        Count,
        Samples,
        FinalLoss,
        BestAccuracy,
        Perplexity,
        StepMs,
        Ratio,
        ComputeRatio,
        ToTarget,
        Hidden,
        Blocked,
        Skew,
        Inflation,
        Sent,
        EqualLoss,
        EqualAccuracy,
        kColumns
    };
    enum Role { GroupRole = Qt::UserRole, StyleRole, HollowRole, HighlightRole, RunIdsRole };  // runs behind the cell

    explicit CompareTableModel(CompareBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // Orders by the mean; rows without one come last in both orders.
    void sort(int column, Qt::SortOrder order) override;

    [[nodiscard]] int rowOf(std::size_t group) const;
    // The column may be left out: no row has a value in it, and it is an optional one: accuracy, perplexity, skew,
    // inflation, ratio to compute alone; or the time to a target without a target.
    [[nodiscard]] bool isLacking(int column) const;
    // Explains "†" and names runs and numbers that are left out; "" if there is nothing to say.
    [[nodiscard]] QString footnote() const;
    // The table as shown, columns separated by tabs; below it the runs that the means leave out, one a line.
    [[nodiscard]] QString asText() const;
    // Unrounded numbers: mean, deviation, half width, n and p of each, and columns for what they refer to.
    [[nodiscard]] QString asCsv() const;

private:
    void relist();
    [[nodiscard]] QString textOf(std::size_t group, int column) const;
    [[nodiscard]] std::optional<double> numberIn(std::size_t group, int column) const;
    // Origin of the times if they are not simply measured: "time simulated".
    [[nodiscard]] QString timesInWords() const;
    // The evaluations that the best values were chosen from, and that the choice is optimistic where it is; "" without
    // any.
    [[nodiscard]] QString bestInWords() const;
    // The loss that the final one is: test loss, or training loss where nothing was evaluated. The legend's may be
    // another.
    [[nodiscard]] QString finalLossInWords() const;
    // The target of the times to it; "" where there are none.
    [[nodiscard]] QString targetInWords() const;

    CompareBoard& board_;
    std::vector<std::size_t> rows_;
    std::optional<std::int64_t> equalSamples_;
    int sorted_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace dasgd::gui
