// Progress of the watched run and size of the store.
#pragma once

#include "gui/data/feed/live_query.h"

namespace dasgd::gui {

struct Pulse {
    QString runId;  // "" while no run is watched
    bool live = false;
    Ns newest = 0;     // newest committed instant, on the run's own time axis
    TimeRange extent;  // time range of its spans
    std::int64_t spans = 0;
    std::int64_t databaseBytes = 0;
};

class PulseQuery final : public LiveQuery {
    Q_OBJECT

public:
    PulseQuery() : LiveQuery(Priority::LiveEdge) {}
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::Pulse& pulse);

private:
    Status readRun(LiveStore& store);

    RefreshInterval sizeInterval_{500, 1};
    Freshness fresh_{0, 0};
    Pulse pulse_;
};

}  // namespace dasgd::gui
