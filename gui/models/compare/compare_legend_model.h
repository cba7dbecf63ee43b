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
    enum Role {
        StyleRole = Qt::UserRole,
        HollowRole,
        CountRole,
        PartialRole,
        ValueRole,
        PlaceRole,
        HighlightRole,
        GroupRole
    };

    explicit CompareLegendModel(CompareBoard& board, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    bool setData(const QModelIndex& index, const QVariant& value, int role) override;
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] int rowOf(std::size_t group) const;
    // What the values are: "at step 104: Training loss", "at the end: Test accuracy"; "at the end of each curve: …"
    // where these are at different places, of which Role::PlaceRole is that of the row.
    [[nodiscard]] QString readInWords() const;
    // Whether each value is that of its own curve's end, and these are at different places.
    [[nodiscard]] bool endsApart() const;

private:
    void relist();
    void refresh();
    [[nodiscard]] const GroupCurve* curveRead(std::size_t group) const;  // null where it has no point
    [[nodiscard]] QString placeOf(std::size_t group) const;
    [[nodiscard]] QString valueAtCursor(std::size_t group) const;
    [[nodiscard]] QString countOf(std::size_t group) const;
    [[nodiscard]] std::optional<std::size_t> runsAtCursor(std::size_t group) const;

    CompareBoard& board_;
    std::vector<std::size_t> rows_;
    std::vector<std::string> keys_;  // of the rows
    bool apart_ = false;             // endsApart()
};

}  // namespace dasgd::gui
