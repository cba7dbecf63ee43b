#include "gui/figures/figure_delegate.h"

#include <QPainter>

#include "gui/figures/model/figure_list_model.h"

namespace dasgd::gui {

namespace {

constexpr int kFigureRowHeight = 44;

}  // namespace

QSize FigureDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const {
    return {160, kFigureRowHeight};
}

void FigureDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = look_.theme();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF row(option.rect);
    const QRectF area = row.adjusted(6, 1, -6, -1);
    const bool selected = option.state & QStyle::State_Selected;
    if (selected || option.state & QStyle::State_MouseOver) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(selected ? theme.selection : theme.hover);
        painter->drawRoundedRect(area, 6, 6);
    }
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    const QString tone = index.data(FigureListModel::ToneRole).toString();
    const QColor ink = tone == QLatin1String("bad")      ? theme.bad
                       : tone == QLatin1String("warn")   ? theme.warn
                       : tone == QLatin1String("accent") ? theme.accent
                                                         : theme.muted;
    const QRectF text = row.adjusted(16, 0, -14, 0);
    const auto write = [&](double top, double height, const QFont& font, const QColor& color, const QString& words) {
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(QRectF(text.left(), row.center().y() + top, text.width(), height), Qt::AlignVCenter,
                          QFontMetrics(font).elidedText(words, Qt::ElideRight, static_cast<int>(text.width())));
    };
    write(-19, 19, interFont(13, Weight::SemiBold), theme.text, index.data().toString());
    write(1, 16, interFont(11), ink, index.data(FigureListModel::WordsRole).toString());
    painter->restore();
}

}  // namespace dasgd::gui
