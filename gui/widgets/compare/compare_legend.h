// The legend of a comparison, which is its control: a filter, and the configurations with their values at the cursor.
// Space hides, Enter or the pointer highlights.
#pragma once

#include <QLineEdit>
#include <QListView>
#include <QStyledItemDelegate>

#include "gui/models/compare/compare_legend_model.h"
#include "gui/theme/theme.h"
#include "gui/widgets/parts.h"

namespace dasgd::gui {

// Stroke and marker, name, n, value.
class CompareLegendDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    CompareLegendDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    const Look& look_;
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
    void pin(std::size_t group);
    [[nodiscard]] std::optional<std::size_t> pinned() const;

    CompareBoard& board_;
    CompareLegendModel* model_;
    QLineEdit* filter_;
    QLabel *error_, *shown_, *at_;
    QListView* list_;
    std::string pinned_;  // key of a configuration; "": none
};

}  // namespace dasgd::gui
