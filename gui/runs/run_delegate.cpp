#include "gui/runs/run_delegate.h"

#include <QApplication>
#include <QPainter>

#include "gui/kit/parts/parts.h"
#include "gui/kit/plots/plot_view.h"
#include "gui/runs/model/run_list_model.h"

namespace dasgd::gui {

namespace {
constexpr double kCellEdge = 7;  // left margin, equal to that of other columns
constexpr double kSample = 28;   // width of a curve's sample, as in the legends
}  // namespace

RunDelegate::RunDelegate(Session& session, const Look& look, QObject* parent)
    : QStyledItemDelegate(parent), session_(session), look_(look) {}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.data(RunListModel::GroupTitleRole).isValid()) {
        // RunTable paints the title of a group across the columns.
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->fillRect(option.rect, selected ? option.palette.color(QPalette::Highlight) : look_.theme().raised);
        return;
    }
    const int column = index.column();
    if (column != RunTableModel::Star && column != RunTableModel::Status && column != RunTableModel::Algorithm) {
        QStyledItemDelegate::paint(painter, option, index);
        return;
    }
    QStyleOptionViewItem bare = option;
    initStyleOption(&bare, index);
    const QString text = bare.text;
    bare.text.clear();
    const QWidget* widget = option.widget;
    (widget ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &bare, painter, widget);
    painter->save();
    const QRectF cell(option.rect);
    if (column == RunTableModel::Star) {
        const bool starred = !text.isEmpty();
        painter->setPen(starred ? look_.theme().accent : look_.theme().faint);
        painter->setFont(interFont(14));
        painter->drawText(cell, Qt::AlignCenter, starred ? QStringLiteral("★") : QStringLiteral("☆"));
    } else if (column == RunTableModel::Status) {
        const QFont font = interFont(12, Weight::Medium);
        const double width = QFontMetricsF(font).horizontalAdvance(text) + 34;
        StatePill::paint(*painter, {cell.left() + kCellEdge, cell.center().y() - 10.5, width, 22}, text, look_.theme(),
                         font);
    } else {
        const RunItemPtr run = session_.runs().find(index.data(RunTableModel::IdRole).toString());
        const CurveStyle style = run ? session_.styleOf(*run) : CurveStyle{};
        painter->setRenderHint(QPainter::Antialiasing);
        paintLineSample(*painter, {cell.left() + kCellEdge, cell.center().y() - 8, kSample, 16},
                        screenPlotStyle(look_.theme()), style, run && run->row.timeSimulated);
        const QRectF words = cell.adjusted(kCellEdge + kSample + 7, 0, -4, 0);
        painter->setPen(option.palette.color(QPalette::Text));
        painter->setFont(option.font);
        painter->drawText(words, Qt::AlignVCenter | Qt::AlignLeft,
                          option.fontMetrics.elidedText(text, Qt::ElideRight, static_cast<int>(words.width())));
    }
    painter->restore();
}

}  // namespace dasgd::gui
