// The configurations of a comparison as the list beside the plots: those that pass the filter, hidden ones in their
// place, each with its value at the cursor.
#pragma once

#include <QAbstractListModel>

#include "gui/models/compare/compare_board.h"

namespace dasgd::gui {

class CompareLegendModel : public QAbstractListModel {
    Q_OBJECT

public:
    // Display: the name; Qt::CheckStateRole: whether it is shown.
    enum Role { StyleRole = Qt::UserRole, HollowRole, CountRole, PartialRole, ValueRole, HighlightRole, GroupRole };

    explicit CompareLegendModel(CompareBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] int rowOf(std::size_t group) const;
    // What the values are: "at step 104: Training loss", "at the end: Test accuracy".
    [[nodiscard]] QString readInWords() const;

private:
    void relist();
    void refresh();
    [[nodiscard]] QString valueAtCursor(std::size_t group) const;
    [[nodiscard]] QString countOf(std::size_t group) const;
    [[nodiscard]] std::optional<std::size_t> runsAtCursor(std::size_t group) const;

    CompareBoard& board_;
    std::vector<std::size_t> rows_;
    std::vector<std::string> keys_;  // of the rows
};

}  // namespace dasgd::gui
