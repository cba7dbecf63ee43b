// Cells of the run table that are not plain text: the state, and the curve style beside the algorithm.
#pragma once

#include <QStyledItemDelegate>

#include "gui/data/session/session.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class RunDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    RunDelegate(Session& session, const Look& look, QObject* parent = nullptr);
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Session& session_;
    const Look& look_;
};

}  // namespace dasgd::gui
