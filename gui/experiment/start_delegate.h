// Rows of the list of starting points for an experiment: a heading, or a title and a description.
#pragma once

#include <QStyledItemDelegate>

#include "gui/kit/theme/theme.h"

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
