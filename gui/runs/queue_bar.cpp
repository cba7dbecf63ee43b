#include "gui/runs/queue_bar.h"

#include <QHBoxLayout>

#include "gui/kit/parts/parts.h"
#include "gui/kit/parts/wrapped_label.h"
#include "gui/kit/words/words.h"

namespace dasgd::gui {

QueueBar::QueueBar(QueueQuery& query, Engine& engine, const Look& look, QWidget* parent)
    : QFrame(parent), engine_(engine), look_(look), words_(new WrappedLabel("")), button_(makeQuietButton({}, {})) {
    setObjectName(QStringLiteral("queue"));
    auto* row = padded(spaced(new QHBoxLayout(this), 6), {14, 7, 10, 7});
    row->addWidget(words_, 1);
    row->addWidget(button_);
    connect(&query, &QueueQuery::changed, this, &QueueBar::say);
    connect(button_, &QToolButton::clicked, this, [this] { engine_.setQueuePaused(state_.worked && !state_.paused); });
    connect(&look_, &Look::changed, this, &QueueBar::restyle);
    hide();
}

void QueueBar::say(const QueueState& state) {
    state_ = state;
    const QString runs =
        state.waiting == 1 ? tr("1 run is queued") : tr("%1 runs are queued").arg(grouped(state.waiting));
    const bool starts = state.worked && !state.paused;
    const QString words = starts         ? tr("%1.").arg(runs)
                          : state.paused ? tr("The queue is paused: %1, and none starts.").arg(runs)
                                         : tr("Nobody works the queue: %1, and none starts.").arg(runs);
    words_->say((starts ? QString() : QStringLiteral("⚠  ")) + words);
    setAccessibleName(words);
    button_->setText(starts ? tr("Pause the queue") : state.paused ? tr("Resume the queue") : tr("Work the queue"));
    button_->setToolTip(asTip(starts ? tr("Running runs continue; waiting ones do not start")
                                     : tr("Waiting runs start in their turn, also once this window is closed")));
    restyle();
    setVisible(state.waiting > 0);
}

void QueueBar::restyle() {
    const Theme& theme = look_.theme();
    const QColor ground = state_.worked && !state_.paused ? theme.panel : theme.warnTint;
    setStyleSheet(barSheet(objectName(), ground, theme.line, theme));
}

}  // namespace dasgd::gui
