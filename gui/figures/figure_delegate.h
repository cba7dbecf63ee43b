// Rows of the list of figures: the title, and below it the venue or a change of its runs.
#pragma once

#include <QStyledItemDelegate>

#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class FigureDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    FigureDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Look& look_;
};

}  // namespace dasgd::gui
