#include "gui/experiment/start_delegate.h"

#include <QAbstractItemView>
#include <QPainter>
#include <QScrollBar>
#include <QTextLayout>

#include "gui/experiment/model/start_list.h"

namespace dasgd::gui {

namespace {

constexpr int kStartHeadHeight = 32, kTitleHeight = 19, kAround = 4;  // around: above and below a start
constexpr int kLeft = 16, kRight = 14, kWordsSize = 11, kMostLines = 3;

// The lines of `words` in a width; the last of kMostLines is cut where there are more.
QStringList linesOf(const QString& words, double width) {
    QTextLayout layout(words, interFont(kWordsSize));
    layout.beginLayout();
    QStringList lines;
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        if (lines.size() + 1 == kMostLines) {
            lines << QFontMetrics(interFont(kWordsSize))
                         .elidedText(words.mid(line.textStart()), Qt::ElideRight, static_cast<int>(width));
            break;
        }
        lines << words.mid(line.textStart(), line.textLength()).trimmed();
    }
    layout.endLayout();
    return lines;
}

// Width of the words beside a scroll bar, whether there is one or not: the rows keep their heights when it comes.
double wordsWidth(const QStyleOptionViewItem& option) {
    const auto* list = qobject_cast<const QAbstractItemView*>(option.widget);
    const int width = list ? list->width() - list->verticalScrollBar()->sizeHint().width() : option.rect.width();
    return width - kLeft - kRight;
}

}  // namespace

QSize StartDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    if (index.data(StartList::HeadRole).toBool()) return {160, kStartHeadHeight};
    const qsizetype lines = linesOf(index.data(StartList::WordsRole).toString(), wordsWidth(option)).size();
    const int lineHeight = QFontMetrics(interFont(kWordsSize)).height();
    return {160, 2 * kAround + kTitleHeight + static_cast<int>(lines) * lineHeight};
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
    const QRectF text = row.adjusted(kLeft, 0, -kRight, 0);
    const QString title = index.data(Qt::DisplayRole).toString();
    if (head) {
        write(text.adjusted(0, 6, 0, 0), interFont(12), theme.muted, title);
    } else {
        write({text.left(), text.top() + kAround, text.width(), kTitleHeight}, interFont(13, Weight::SemiBold),
              theme.text, title);
        const QFont small = interFont(kWordsSize);
        double top = text.top() + kAround + kTitleHeight;
        for (const QString& line : linesOf(index.data(StartList::WordsRole).toString(), wordsWidth(option))) {
            write({text.left(), top, text.width(), QFontMetricsF(small).height()}, small, theme.muted, line);
            top += QFontMetricsF(small).height();
        }
    }
    painter->restore();
}

}  // namespace dasgd::gui
