// Bar on the workspace's queue: the number of waiting runs, whether they will start, and a button that starts or pauses
// the queue. Hidden while nothing waits.
#pragma once

#include <QFrame>
#include <QToolButton>

#include "gui/data/feed/queue_query.h"
#include "gui/data/session/engine.h"
#include "gui/kit/theme/theme.h"

namespace dasgd::gui {

class WrappedLabel;

class QueueBar : public QFrame {
    Q_OBJECT

public:
    QueueBar(QueueQuery& query, Engine& engine, const Look& look, QWidget* parent = nullptr);
    [[nodiscard]] QToolButton& button() { return *button_; }

private:
    void say(const QueueState& state);
    void restyle();

    Engine& engine_;
    const Look& look_;
    QueueState state_;
    WrappedLabel* words_;
    QToolButton* button_;
};

}  // namespace dasgd::gui
