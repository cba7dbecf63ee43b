// The workspace's queue: how many runs wait in it, and whether any of them will start.
#pragma once

#include "gui/models/live/live_query.h"

namespace dasgd::gui {

struct QueueState {
    int waiting = 0;      // runs that are to begin or to go on, and are neither held nor cancelled
    bool paused = false;  // nothing starts
    bool worked = false;  // by a process, here or in a shell
    bool operator==(const QueueState&) const = default;
};

class QueueQuery final : public LiveQuery {
    Q_OBJECT

public:
    QueueQuery() : LiveQuery(Priority::Records) {}
    Status refresh(LiveStore& store) override;

signals:
    // Each time it is another.
    void changed(const dasgd::gui::QueueState& state);

private:
    // That the process which works the queue ends is committed nowhere.
    RefreshInterval interval_{1000, 50};
    std::int64_t revision_ = -1;
    QueueState told_;
};

}  // namespace dasgd::gui
