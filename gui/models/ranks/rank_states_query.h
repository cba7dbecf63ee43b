// The ranks of the watched run, about twice a second.
#pragma once

#include <atomic>

#include "gui/models/live/live_query.h"
#include "gui/models/ranks/rank_states.h"

namespace dasgd::gui {

class RankStatesQuery final : public LiveQuery {
    Q_OBJECT

public:
    RankStatesQuery() : LiveQuery(Priority::Background) {}
    // Before that, and while nobody looks, nothing is read.
    void setWanted(bool wanted);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::RankStates& states);

private:
    Status readNow(LiveStore& store, RankStates& states);

    std::atomic<bool> wanted_ = false, wantedAnew_ = false;
    RefreshInterval interval_{2000, 100};
    std::int64_t watchedSince_ = -1;
    std::int64_t revision_ = -1;
    LastHeardOfRanks heard_;
    Ns reach_ = 0;  // how far back the newest spans are read
};

}  // namespace dasgd::gui
