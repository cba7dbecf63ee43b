// The legend of a comparison: the configurations that pass the filter, hidden ones included, each with its value at the
// cursor.
#pragma once

#include <QAbstractListModel>

#include "gui/compare/model/compare_board.h"

namespace dasgd::gui {

class CompareLegendModel : public QAbstractListModel {
    Q_OBJECT

public:
    // Qt::DisplayRole: the name; Qt::CheckStateRole: shown or hidden.
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
    // Heading of the values: "at step 104: Training loss", "at the end: Test accuracy"; "at the end of each curve: …"
    // where the curves end at different places, each given by PlaceRole.
    [[nodiscard]] QString readInWords() const;
    // Each value is read at the end of its own curve, and these ends differ.
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
    bool apart_ = false;             // last value of endsApart()
};

}  // namespace dasgd::gui
