// Event filter that wraps long plain-text tool tips of widgets and of table headers, which Qt draws on one line.
// Install it on the application, once. UI thread.
#pragma once

#include <QHeaderView>
#include <QHelpEvent>
#include <QTextDocument>
#include <QToolTip>
#include <QWidget>
#include <algorithm>

#include "gui/kit/words/words.h"

namespace dasgd::gui {

class WrappedTips : public QObject {
public:
    using QObject::QObject;
    static constexpr int kWidestLine = 80;  // longest line in characters
    [[nodiscard]] static bool needsWrapping(const QString& tip) {
        if (Qt::mightBeRichText(tip)) return false;
        const QStringList lines = tip.split(QLatin1Char('\n'));
        return std::ranges::any_of(lines, [](const QString& line) { return line.size() > kWidestLine; });
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::ToolTip || !watched->isWidgetType()) return false;
        auto* widget = static_cast<QWidget*>(watched);
        const auto* help = static_cast<QHelpEvent*>(event);
        const QString tip = tipAt(*widget, help->pos());
        if (!needsWrapping(tip)) return false;
        QToolTip::showText(help->globalPos(), asTip(tip), widget);
        return true;
    }

private:
    static QString tipAt(const QWidget& widget, QPoint at) {
        const auto* head = qobject_cast<const QHeaderView*>(widget.parentWidget());
        if (!head || head->viewport() != &widget || !head->model()) return widget.toolTip();
        const int section = head->logicalIndexAt(at);
        return section < 0 ? QString()
                           : head->model()->headerData(section, head->orientation(), Qt::ToolTipRole).toString();
    }
};

}  // namespace dasgd::gui
