// Rows of the list of scaling lines: a box to check, the line's own stroke and marker, its name and what it is of.
#pragma once

#include <QStyledItemDelegate>

#include "gui/theme/theme.h"

namespace dasgd::gui {

class LineDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit LineDelegate(const Look& look, QObject* parent = nullptr) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    // A click anywhere on the row checks it.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintBox(QPainter& painter, const QRectF& box, Qt::CheckState state) const;

    const Look& look_;
};

}  // namespace dasgd::gui
