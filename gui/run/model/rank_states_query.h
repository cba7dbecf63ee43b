// The states of the watched run's ranks, about twice a second.
#pragma once

#include "gui/data/feed/live_query.h"
#include "gui/run/model/rank_states.h"

namespace dasgd::gui {

class RankStatesQuery final : public LiveQuery {
    Q_OBJECT

public:
    RankStatesQuery() : LiveQuery(Priority::Background) {}
    // Nothing is read while not wanted, as at first.
    void setWanted(bool wanted);
    Status refresh(LiveStore& store) override;

signals:
    void arrived(const dasgd::gui::RankStates& states);

private:
    Status readNow(LiveStore& store, RankStates& states);

    Wishes<bool> wanted_{this};
    Freshness fresh_{2000, 100};
    LastHeardOfRanks heard_;
    Ns reach_ = 0;  // length of the newest stretch that is read
};

}  // namespace dasgd::gui
