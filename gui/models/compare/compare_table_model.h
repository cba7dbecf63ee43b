// The table of `dasgd compare` over what a comparison shows: mean ± spread, n, ratios to the baseline and to computing
// alone, significance; results at equal samples where the runs were trained on different numbers of them.
#pragma once

#include <QAbstractTableModel>

#include "gui/models/compare/compare_board.h"

namespace dasgd::gui {

class CompareTableModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // The last two are there only where Comparison::equalSamples is set.
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
    enum Role { GroupRole = Qt::UserRole, StyleRole, HollowRole, HighlightRole };

    explicit CompareTableModel(CompareBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // By the mean; what has none comes last either way.
    void sort(int column, Qt::SortOrder order) override;

    [[nodiscard]] int rowOf(std::size_t group) const;
    // No row has a value in it, and it is not what one looks for in every comparison: an accuracy, a perplexity, skew,
    // inflation, the ratio to computing alone; the time to a target where there is none.
    [[nodiscard]] bool isLacking(int column) const;
    // What "†" means, and what is left out; "" where nothing is to be said.
    [[nodiscard]] QString footnote() const;
    // As it is shown: columns separated by tabs; below it what the means leave out, a run a line.
    [[nodiscard]] QString asText() const;
    // Numbers in full: mean, deviation, half width, n and p of each; what they refer to in columns of its own.
    [[nodiscard]] QString asCsv() const;

private:
    void relist();
    [[nodiscard]] QString textOf(std::size_t group, int column) const;
    [[nodiscard]] std::optional<double> numberIn(std::size_t group, int column) const;
    // What the times are, where they are not simply measured: "time simulated".
    [[nodiscard]] QString timesInWords() const;
    // Of which evaluations the best ones are, and that the choice is optimistic where it is; "" without any.
    [[nodiscard]] QString bestInWords() const;
    // What the times to a target are to; "" where there are none.
    [[nodiscard]] QString targetInWords() const;

    CompareBoard& board_;
    std::vector<std::size_t> rows_;
    std::optional<std::int64_t> equalSamples_;
    int sorted_ = -1;
    Qt::SortOrder order_ = Qt::AscendingOrder;
};

}  // namespace dasgd::gui
