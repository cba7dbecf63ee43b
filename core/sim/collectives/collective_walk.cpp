#include "core/sim/collectives/collective_walk.h"

#include <utility>

namespace dasgd {

CollectiveWalk::CollectiveWalk(Wire& wire, std::unique_ptr<MessageSchedule> schedule, const std::vector<int>& hosts,
                               double reduceSecondsPerByte, std::function<void(int rank)> finished)
    : wire_(wire),
      schedule_(std::move(schedule)),
      hosts_(hosts),
      reduceSecondsPerByte_(reduceSecondsPerByte),
      finished_(std::move(finished)),
      ranks_(hosts.size()) {}

void CollectiveWalk::enter(int rank) { nextRound(rank); }

void CollectiveWalk::nextRound(int rank) {
    Progress& mine = ranks_[static_cast<std::size_t>(rank)];
    do {
        if (++mine.round >= schedule_->rounds()) {
            finished_(rank);
            return;
        }
        schedule_->fill(rank, mine.round, mine.now);
        mine.outstanding = mine.now.sends.size() + mine.now.receives.size();
    } while (mine.outstanding == 0);
    const auto isHere = [&](int peer) { return ranks_[static_cast<std::size_t>(peer)].round == mine.round; };
    for (const Transfer& send : mine.now.sends) {
        if (isHere(send.peer)) start(rank, send.peer, send.bytes);
    }
    for (const Transfer& receive : mine.now.receives) {
        if (isHere(receive.peer)) start(receive.peer, rank, receive.bytes);
    }
}

void CollectiveWalk::start(int from, int to, std::int64_t bytes) {
    wire_.send(hosts_[static_cast<std::size_t>(from)], hosts_[static_cast<std::size_t>(to)], bytes,
               [self = shared_from_this(), from, to] {
                   self->ended(from);
                   self->ended(to);
               });
}

void CollectiveWalk::ended(int rank) {
    Progress& mine = ranks_[static_cast<std::size_t>(rank)];
    if (--mine.outstanding > 0) return;
    const double reducing = reduceSecondsPerByte_ * static_cast<double>(mine.now.reduceBytes);
    if (reducing > 0) {
        wire_.computeIn(hosts_[static_cast<std::size_t>(rank)], reducing,
                        [self = shared_from_this(), rank] { self->nextRound(rank); });
    } else {
        nextRound(rank);
    }
}

}  // namespace dasgd
