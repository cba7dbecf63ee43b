// Rows of the list of scaling lines: a check box, the line's stroke and marker, its name and its runs in words.
#pragma once

#include <QStyledItemDelegate>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class LineDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    explicit LineDelegate(const Look& look, QObject* parent = nullptr) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

protected:
    // A click anywhere on the row toggles the check box.
    bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                     const QModelIndex& index) override;

private:
    void paintBox(QPainter& painter, const QRectF& box, Qt::CheckState state) const;

    const Look& look_;
};

}  // namespace dasgd::gui
