// Legend and control of a comparison: a filter, and the configurations with their values at the cursor. Space hides a
// configuration, Enter or the pointer highlights it.
#pragma once

#include <QLineEdit>
#include <QListView>
#include <QStyledItemDelegate>

#include "gui/compare/model/compare_legend_model.h"
#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

// Rows of stroke and marker, name, n and value: in one line if every name fits beside its numbers, else all names stand
// above their numbers.
class CompareLegendDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CompareLegendDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;
    // The name as painted in a row of this width: whole if it fits in one line or above its numbers, else cut so that
    // no two names look the same (gui/kit/words/short_names.h).
    [[nodiscard]] QString nameAt(const QModelIndex& index, double width) const;
    // True if names stand above their numbers, by the last call of nameAt().
    [[nodiscard]] bool isTwoLines() const { return twoLines_; }
    // Reads the names again at the next paint.
    void forget() { known_ = false; }

private:
    const Look& look_;
    mutable bool known_ = false;
    mutable QStringList names_, cut_;
    // Largest width of the numbers so far, so that names do not move with the cursor; width for names.
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
    // Lays the rows out again if their names need another height.
    void layRows();
    // Places the words on the cursor beside the count, or below it if there is no room.
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
