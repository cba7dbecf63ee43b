// Rows of the list that an experiment begins with: a head, or title and what it shows.
#pragma once

#include <QStyledItemDelegate>

#include "gui/theme/theme.h"

namespace dasgd::gui {

class StartDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    StartDelegate(const Look& look, QObject* parent) : QStyledItemDelegate(parent), look_(look) {}
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Look& look_;
};

}  // namespace dasgd::gui
