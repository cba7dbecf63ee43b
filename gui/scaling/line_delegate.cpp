#include "gui/scaling/line_delegate.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPainter>

#include "gui/kit/plots/plot_view.h"
#include "gui/scaling/model/scaling_list_model.h"

namespace dasgd::gui {

namespace {

constexpr int kHeadHeight = 34, kLineHeight = 44;
constexpr double kBox = 14, kSample = 34;

}  // namespace

QSize LineDelegate::sizeHint(const QStyleOptionViewItem&, const QModelIndex& index) const {
    return {200, index.data(ScalingListModel::IsExperiment).toBool() ? kHeadHeight : kLineHeight};
}

void LineDelegate::paintBox(QPainter& painter, const QRectF& box, Qt::CheckState state) const {
    const Theme& theme = look_.theme();
    painter.setPen(QPen(state == Qt::Unchecked ? theme.muted : theme.accent, 1));
    painter.setBrush(state == Qt::Unchecked ? Qt::NoBrush : QBrush(theme.accent));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(QPen(theme.onAccent, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    if (state == Qt::Checked) {
        painter.drawPolyline(QPolygonF{box.topLeft() + QPointF(3.2, 7.4), box.topLeft() + QPointF(5.9, 10),
                                       box.topLeft() + QPointF(10.8, 4.2)});
    } else if (state == Qt::PartiallyChecked) {
        painter.drawLine(box.topLeft() + QPointF(3.5, 7), box.topLeft() + QPointF(10.5, 7));
    }
}

void LineDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& theme = look_.theme();
    const bool head = index.data(ScalingListModel::IsExperiment).toBool();
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    const QRectF row(option.rect);
    if (option.state & (QStyle::State_MouseOver | QStyle::State_Selected)) {
        painter->fillRect(option.rect, option.state & QStyle::State_Selected ? theme.raised : theme.hover);
    }
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(theme.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRoundedRect(row.adjusted(1.5, 1.5, -1.5, -1.5), 4, 4);
    }
    const double left = row.left() + (head ? 12 : 24);
    paintBox(*painter, {left + 0.5, row.center().y() - kBox / 2, kBox - 1, kBox - 1},
             static_cast<Qt::CheckState>(index.data(Qt::CheckStateRole).toInt()));
    const auto write = [&](const QRectF& area, const QFont& font, const QColor& color, const QString& text) {
        painter->setFont(font);
        painter->setPen(color);
        painter->drawText(area, Qt::AlignVCenter | Qt::AlignLeft,
                          QFontMetrics(font).elidedText(text, Qt::ElideRight, static_cast<int>(area.width())));
    };
    QRectF text = row.adjusted(left - row.left() + kBox + 10, 0, -10, 0);
    const QString title = index.data(Qt::DisplayRole).toString();
    if (head) {
        write(text, interFont(13, Weight::SemiBold), theme.text, title);
    } else {
        const bool drawn = index.data(ScalingListModel::DrawnRole).toBool();
        if (drawn) {
            paintLineSample(*painter, {text.left(), row.center().y() - 8, kSample, 16}, screenPlotStyle(theme),
                            index.data(ScalingListModel::StyleRole).value<CurveStyle>(),
                            index.data(ScalingListModel::HollowRole).toBool());
            text.setLeft(text.left() + kSample + 8);
        }
        const double middle = row.center().y();
        write({text.left(), middle - 18, text.width(), 19}, interFont(13), drawn ? theme.text : theme.muted, title);
        write({text.left(), middle + 1, text.width(), 16}, interFont(11), theme.muted,
              index.data(ScalingListModel::WordsRole).toString());
    }
    painter->restore();
}

bool LineDelegate::editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem&,
                               const QModelIndex& index) {
    const bool clicked =
        event->type() == QEvent::MouseButtonRelease && static_cast<QMouseEvent*>(event)->button() == Qt::LeftButton;
    const bool pressed = event->type() == QEvent::KeyPress && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Space;
    if (!clicked && !pressed) return false;
    const bool off = index.data(Qt::CheckStateRole).toInt() == Qt::Unchecked;
    return model->setData(index, off ? Qt::Checked : Qt::Unchecked, Qt::CheckStateRole);
}

}  // namespace dasgd::gui
