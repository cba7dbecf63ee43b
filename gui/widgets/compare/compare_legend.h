// The legend of a comparison, which is its control: a filter, and the configurations with their values at the cursor.
// Space hides, Enter or the pointer highlights.
#pragma once

#include <QLineEdit>
#include <QListView>
#include <QStyledItemDelegate>

#include "gui/models/compare/compare_legend_model.h"
#include "gui/theme/theme.h"
#include "gui/widgets/parts.h"
#include "gui/widgets/wrapped_label.h"

namespace dasgd::gui {

// Stroke and marker, name, n, value: in one line where every name is whole beside its numbers, else the names of all
// stand above their numbers.
class CompareLegendDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CompareLegendDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    // The name as it is painted in a row of this width: whole where there is room, in one line or above its numbers;
    // else all are cut so that no two look the same (gui/models/curves/short_names.h).
    [[nodiscard]] QString nameAt(const QModelIndex& index, double width) const;
    // Whether names stand above their numbers, as of the rows that were looked at last.
    [[nodiscard]] bool isTwoLines() const { return twoLines_; }
    // Names may have changed.
    void forget() { known_ = false; }

private:
    const Look& look_;
    mutable bool known_ = false;
    mutable QStringList names_, cut_;
    // The widest that any row had: names do not move with the cursor.
    mutable double numbers_ = 0, room_ = -1;
    mutable bool twoLines_ = false;
};

class CompareLegend : public Card {
    Q_OBJECT

public:
    CompareLegend(CompareBoard& board, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] QListView& list() { return *list_; }
    [[nodiscard]] QLineEdit& filter() { return *filter_; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    QLayout* makeFoot();
    void update();
    // The rows are as high as their names need.
    void layRows();
    // What is read stands beside the count, or below it where there is no room.
    void layWords();
    void pin(std::size_t group);
    [[nodiscard]] std::optional<std::size_t> pinned() const;

    CompareBoard& board_;
    CompareLegendModel* model_;
    CompareLegendDelegate* delegate_;
    QLineEdit* filter_;
    QBoxLayout* words_;
    QLabel *error_, *shown_;
    WrappedLabel* at_;
    QListView* list_;
    std::string pinned_;  // key of a configuration; "": none
};

}  // namespace dasgd::gui
