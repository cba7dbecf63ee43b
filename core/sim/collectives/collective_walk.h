// One collective under way in the network: moves every rank through its rounds of the schedule.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/cost/messages/message_schedule.h"
#include "core/sim/network/wire.h"

namespace dasgd {

class CollectiveWalk : public std::enable_shared_from_this<CollectiveWalk> {
public:
    // `hosts`: for each rank its host's number on the wire; outlives the walk. `reduceSecondsPerByte`: ρ. `finished` is
    // called for each rank once its last round is over.
    CollectiveWalk(Wire& wire, std::unique_ptr<MessageSchedule> schedule, const std::vector<int>& hosts,
                   double reduceSecondsPerByte, std::function<void(int rank)> finished);

    // `rank` has arrived and begins its first round; in SimGrid's context.
    void enter(int rank);

private:
    // Progress of a rank. A message starts when both of its ends are in its round.
    struct Progress {
        int round = -1;
        std::size_t outstanding = 0;
        Round now;
    };
    void nextRound(int rank);
    void start(int from, int to, std::int64_t bytes);
    void ended(int rank);

    Wire& wire_;
    std::unique_ptr<MessageSchedule> schedule_;
    const std::vector<int>& hosts_;
    double reduceSecondsPerByte_;
    std::function<void(int rank)> finished_;
    std::vector<Progress> ranks_;
};

}  // namespace dasgd
