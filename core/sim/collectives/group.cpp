#include "core/sim/collectives/group.h"

#include <torch/types.h>
#include <simgrid/s4u/Engine.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/comm/completion.h"
#include "core/comm/group_maths.h"
#include "core/cost/cost.h"
#include "core/cost/messages/exchange_schedule.h"
#include "core/sim/network/simgrid.h"

namespace dasgd {

namespace {

double now() { return simgrid::s4u::Engine::get_clock(); }

LinkCost reached(LinkCost link, const NetworkParams& network) {
    link.beta /= network.efficiency;
    return link;
}

AllReduceKind methodFor(const NetworkParams& network, int ranks) {
    const AllReduceKind kind = network.allReduce();
    return checkAllReduce(kind, ranks) ? kind : AllReduceKind{AllReduceMethod::Ring};
}

LinkCost neighbours(const Wire& wire, const NetworkParams& network, const std::vector<int>& ranks) {
    return reached(wire.worstNeighbourLink(ranks, network.reduceSecondsPerByte()), network);
}

// Link cost within the groups of a hierarchical all-reduce: all groups' rings run at once.
LinkCost withinGroups(const Wire& wire, const NetworkParams& network, const AllReduceKind& kind,
                      const std::vector<int>& ranks) {
    if (kind.method != AllReduceMethod::Hierarchical) return {};
    const auto next = [size = kind.groupSize](int rank) { return rank / size * size + (rank + 1) % size; };
    return reached(wire.worstOfAllWays(ranks, next, network.reduceSecondsPerByte()), network);
}

// Link cost between those groups: one ring for each of a group's ranks, all at once.
LinkCost betweenGroups(const Wire& wire, const NetworkParams& network, const AllReduceKind& kind,
                       const std::vector<int>& ranks) {
    if (kind.method != AllReduceMethod::Hierarchical) return {};
    const auto next = [size = kind.groupSize, count = static_cast<int>(ranks.size())](int rank) {
        return (rank + size) % count;
    };
    return reached(wire.worstOfAllWays(ranks, next, network.reduceSecondsPerByte()), network);
}

std::vector<std::int64_t> bytesOfEach(const CollectiveCall& call) {
    std::vector<std::int64_t> bytes = call.counts;
    for (std::int64_t& each : bytes) each *= static_cast<std::int64_t>(call.in.element_size());
    return bytes;
}

// Computes the results, unless the tensors are shapes only.
void computeResults(SharedCollective& collective) {
    if (collective.parts[0].call->in.is_meta()) return;
    std::vector<std::optional<CollectiveCall>> calls;
    calls.reserve(collective.parts.size());
    for (auto& part : collective.parts) calls.push_back(part.call);
    try {
        carryOut(calls);
    } catch (const std::exception& error) {
        collective.error = firstLine(error);
    }
}

}  // namespace

VirtualGroup::VirtualGroup(Wire& wire, const NetworkParams& network, std::vector<int> ranks,
                           std::shared_ptr<RankLinks> links, std::function<void(int)> changed)
    : wire_(wire),
      ranks_(std::move(ranks)),
      links_(std::move(links)),
      allReduce_(methodFor(network, static_cast<int>(ranks_.size()))),
      authors_(network.authorsExchange()),
      byFormula_(network.fidelity == "formula"),
      link_(neighbours(wire, network, ranks_)),
      within_(withinGroups(wire, network, allReduce_, ranks_)),
      between_(betweenGroups(wire, network, allReduce_, ranks_)),
      changed_(std::move(changed)),
      queues_(ranks_.size()) {}

void VirtualGroup::arrive(const Group& group, std::uint64_t number, CollectiveCall call, bool free,
                          std::shared_ptr<VirtualEnd> end) {
    const int rank = group.rank.value();
    auto& slot = open_[number];
    if (!slot) {
        slot = std::make_shared<SharedCollective>();
        slot->opener = rank;
        slot->free = free;
        slot->parts.resize(queues_.size());
    }
    const Collective collective = slot;
    if (collective->arrived > 0) {
        checkSame(group, number, Rank(collective->opener),
                  *collective->parts[static_cast<std::size_t>(collective->opener)].call, group.rank, call);
    }
    const auto own = static_cast<std::size_t>(rank);
    SharedCollective::Part& part = collective->parts[own];
    part.call = std::move(call);
    part.end = std::move(end);
    if (++collective->arrived == size()) {
        open_.erase(number);
        computeResults(*collective);
        // Ranks whose messages were done before the last rank arrived end now.
        for (int other = 0; other < size(); ++other) settle(collective, other);
    }
    if (collective->free) {
        part.end->began = now();
        walked(collective, rank);
        return;
    }
    queues_[own].push_back(collective);
    if (queues_[own].size() == 1) begin(rank);
}

void VirtualGroup::begin(int rank) {
    const Collective collective = queues_[static_cast<std::size_t>(rank)].front();
    SharedCollective::Part& part = collective->parts[static_cast<std::size_t>(rank)];
    part.end->began = now();
    if (++collective->began == size()) occupyLinks(*collective);
    if (byFormula_ || size() == 1) {
        if (collective->began == size()) beginFormula(collective);
        return;
    }
    if (!collective->walk) {
        collective->walk = std::make_shared<CollectiveWalk>(
            wire_, scheduleOf(*part.call), ranks_, link_.rho,
            [this, weak = std::weak_ptr(collective)](int done) { walked(weak.lock(), done); });
    }
    collective->walk->enter(rank);
}

// Begins the transfer of a collective: a rank that waited for the last one was in its skew until now.
void VirtualGroup::occupyLinks(SharedCollective& collective) {
    for (int rank = 0; rank < size(); ++rank) {
        SharedCollective::Part& part = collective.parts[static_cast<std::size_t>(rank)];
        if (part.end->done) continue;
        part.occupiesLink = true;
        ++links_->busy[static_cast<std::size_t>(hostOf(rank))];
        changed_(hostOf(rank));
    }
}

// Starts the collective once the links of all members are free of collectives of other groups.
void VirtualGroup::beginFormula(const Collective& collective) {
    double wait = 0;
    for (const int rank : ranks_) wait = std::max(wait, links_->formulaUntil[static_cast<std::size_t>(rank)] - now());
    const double seconds = (wait > kSameInstant ? wait : 0) + formulaSeconds(*collective->parts[0].call);
    for (const int rank : ranks_) links_->formulaUntil[static_cast<std::size_t>(rank)] = now() + seconds;
    wire_.passAllIn(seconds, [this, collective] {
        for (int rank = 0; rank < size(); ++rank) walked(collective, rank);
    });
}

void VirtualGroup::walked(const Collective& collective, int rank) {
    collective->parts[static_cast<std::size_t>(rank)].walked = true;
    settle(collective, rank);
}

// Ends a rank's operation once its messages are through and all ranks have arrived.
void VirtualGroup::settle(const Collective& collective, int rank) {
    auto& part = collective->parts[static_cast<std::size_t>(rank)];
    if (!part.walked || part.end->done || collective->arrived < size()) return;
    const std::shared_ptr<VirtualEnd> mine = part.end;
    if (collective->free) return end(rank, *mine, collective->error);
    if (part.occupiesLink) --links_->busy[static_cast<std::size_t>(hostOf(rank))];
    auto& queue = queues_[static_cast<std::size_t>(rank)];
    DASGD_CHECK(queue.front() == collective);
    queue.pop_front();
    end(rank, *mine, collective->error);
    // A collective that a chain launched meanwhile has begun by itself where the queue was empty.
    const bool nextWaits = !queue.empty() && queue.front()->parts[static_cast<std::size_t>(rank)].end->began < 0;
    if (nextWaits) begin(rank);
}

void VirtualGroup::end(int rank, VirtualEnd& end, const std::string& error) {
    end.done = true;
    end.ended = now();
    end.error = error;
    changed_(hostOf(rank));
    if (end.whenDone) end.whenDone();
}

double VirtualGroup::formulaSeconds(const CollectiveCall& call) const {
    if (size() == 1) return 0;
    const auto bytes = static_cast<double>(call.in.nbytes());
    switch (call.kind) {
        case CollectiveKind::AllReduce:
            if (authors_) return authorsExchangeSeconds(*authors_, 1 / link_.beta, bytes, size());
            if (allReduce_.method == AllReduceMethod::Hierarchical) {
                return hierarchicalAllReduceSeconds(within_, between_, bytes, size(), allReduce_.groupSize);
            }
            return allReduceSeconds(allReduce_, link_, bytes, size());
        case CollectiveKind::ReduceScatter: return reduceScatterSeconds(link_, bytes, size());
        case CollectiveKind::AllGather: return allGatherSeconds(link_, bytes, size());
        case CollectiveKind::AllToAll: return allToAllSeconds(link_, bytes, size());
        case CollectiveKind::Broadcast: return broadcastSeconds(link_, bytes, size());
        case CollectiveKind::AllGatherV: break;
    }
    const std::vector<std::int64_t> each = bytesOfEach(call);
    return allGatherSeconds(link_, static_cast<double>(*std::ranges::max_element(each)), size());
}

std::int64_t VirtualGroup::bytesSentBy(int rank, const CollectiveCall& call) const {
    const auto bytes = static_cast<std::int64_t>(call.in.nbytes());
    if (call.kind == CollectiveKind::AllReduce && authors_) {
        return std::llround(authorsExchangeSeconds(*authors_, 1, static_cast<double>(bytes), size()));
    }
    if (call.kind == CollectiveKind::AllReduce && allReduce_.method == AllReduceMethod::Ring) {
        return 2 * bytes * (size() - 1) / size();
    }
    const auto schedule = scheduleOf(call);
    std::int64_t sum = 0;
    Round round;
    for (int number = 0; number < schedule->rounds(); ++number) {
        schedule->fill(rank, number, round);
        for (const Transfer& send : round.sends) sum += send.bytes;
    }
    return sum;
}

std::unique_ptr<MessageSchedule> VirtualGroup::scheduleOf(const CollectiveCall& call) const {
    const Payload payload{.bytes = static_cast<std::int64_t>(call.in.nbytes()),
                          .elementBytes = static_cast<std::int64_t>(call.in.element_size())};
    switch (call.kind) {
        case CollectiveKind::AllReduce: return std::move(allReduceSchedule(allReduce_, payload, size()).value());
        case CollectiveKind::ReduceScatter: return reduceScatterSchedule(payload, size());
        case CollectiveKind::AllGather: return allGatherSchedule(payload.bytes, size());
        case CollectiveKind::AllGatherV: return allGatherSchedule(bytesOfEach(call));
        case CollectiveKind::AllToAll: return allToAllSchedule(payload.bytes / size(), size());
        case CollectiveKind::Broadcast: return broadcastSchedule(payload.bytes, size(), call.root.value());
    }
    return nullptr;
}

void VirtualGroup::post(int own, const MessageCall& call, bool free, std::shared_ptr<VirtualEnd> end) {
    const MessageEnd mine{own, call.tensor, std::move(end)};
    const auto peer = call.peer ? std::optional(call.peer->value()) : std::nullopt;
    if (call.sends) {
        if (const auto receive = messages_.offer(own, *peer, call.tag, mine)) carry(mine, *receive, free);
    } else {
        if (const auto sent = messages_.ask(peer, own, call.tag, mine)) carry(sent->send, mine, free);
    }
}

// Carries a message; both ends are there.
void VirtualGroup::carry(const MessageEnd& from, const MessageEnd& to, bool free) {
    from.end->began = to.end->began = now();
    const auto arrived = [this, from, to] {
        std::string error;
        try {
            if (!from.tensor.is_meta()) copyMessage(from.tensor, Rank(from.rank), to.tensor);
        } catch (const std::exception& thrown) {
            error = firstLine(thrown);
        }
        to.end->source = Rank(from.rank);
        end(from.rank, *from.end, error);
        end(to.rank, *to.end, error);
    };
    const auto bytes = static_cast<std::int64_t>(from.tensor.nbytes());
    const int sender = hostOf(from.rank), receiver = hostOf(to.rank);
    if (free || sender == receiver) {
        wire_.ringIn(0, arrived);
    } else if (byFormula_) {
        wire_.passIn(sender, receiver, messageSeconds(link_, static_cast<double>(bytes)), arrived);
    } else {
        wire_.send(sender, receiver, bytes, arrived);
    }
}

bool VirtualGroup::withdraw(const VirtualEnd& end) {
    bool taken = false;
    messages_.takeReceives([&](const auto&, const MessageEnd& each) { return each.end.get() == &end; },
                           [&](const MessageEnd&) { taken = true; });
    return taken;
}

}  // namespace dasgd
