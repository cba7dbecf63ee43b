#include "gui/run/log_card.h"

#include <QScrollArea>
#include <QVBoxLayout>

namespace dasgd::gui {

LogCard::LogCard(Session& session, QWidget* parent)
    : Card(parent), view_(new LogView(session.feed().query<LogQuery>())) {
    body().setContentsMargins(kPadding, 8, 6, 6);
    body().addWidget(view_, 1);
    view_->setRun(session.currentId());
    connect(&session, &Session::currentChanged, this, [this, &session] { view_->setRun(session.currentId()); });
}

void LogCard::bringUp() {
    for (QWidget* above = parentWidget(); above; above = above->parentWidget()) {
        if (auto* area = qobject_cast<QScrollArea*>(above)) area->ensureWidgetVisible(this, 0, 0);
    }
    view_->setFocus(Qt::OtherFocusReason);
}

}  // namespace dasgd::gui
