#include "gui/experiment/start_delegate.h"

#include <QPainter>

#include "gui/experiment/model/start_list.h"

namespace dasgd::gui {

namespace {

constexpr int kStartHeadHeight = 32, kStartRowHeight = 42;

}  // namespace

QSize StartDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    return {160, index.data(StartList::HeadRole).toBool() ? kStartHeadHeight : kStartRowHeight};
}

void StartDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = look_.theme();
    const bool head = index.data(StartList::HeadRole).toBool();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF row(option.rect);
    const QRectF area = row.adjusted(6, 1, -6, -1);
    // The shown start is filled; the row with the keyboard, which may be another, has a frame.
    const bool shown = index.data(StartList::ShownRole).toBool();
    if (!head && (shown || option.state & QStyle::State_MouseOver)) {
        painter->setPen(Qt::NoPen);
        painter->setBrush(shown ? theme.selection : theme.hover);
        painter->drawRoundedRect(area, 6, 6);
    }
    if (!head && option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
    }
    const auto write = [&](const QRectF& box, const QFont& font, const QColor& color, const QString& text) {
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(box, Qt::AlignVCenter | Qt::AlignLeft,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, static_cast<int>(box.width())));
    };
    const QRectF text = row.adjusted(16, 0, -14, 0);
    const QString title = index.data(Qt::DisplayRole).toString();
    if (head) {
        write(text.adjusted(0, 6, 0, 0), interFont(12), theme.muted, title);
    } else {
        const double middle = row.center().y();
        write({text.left(), middle - 18, text.width(), 19}, interFont(13, Weight::SemiBold), theme.text, title);
        write({text.left(), middle + 1, text.width(), 16}, interFont(11), theme.muted,
              index.data(StartList::WordsRole).toString());
    }
    painter->restore();
}

}  // namespace dasgd::gui
