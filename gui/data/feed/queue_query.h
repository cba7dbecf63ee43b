// State of the workspace's queue: number of waiting runs, and whether they will start.
#pragma once

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct QueueState {
    int waiting = 0;      // runs to be started or resumed that are neither held nor cancelled
    bool paused = false;  // nothing starts
    bool worked = false;  // some process works it, started here or in a shell
    bool operator==(const QueueState&) const = default;
};

class QueueQuery final : public LiveQuery {
    Q_OBJECT

public:
    QueueQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override;

signals:
    // Emitted whenever the state differs from the last one.
    void changed(const dasgd::gui::QueueState& state);

private:
    // The end of the process that works the queue commits nothing, so it is checked at intervals.
    Freshness fresh_{1000, 50};
    QueueState told_;
};

}  // namespace dasgd::gui
