#include "core/sim/collectives/group.h"

#include <torch/types.h>
#include <simgrid/s4u/Engine.hpp>

#include <cmath>
#include <utility>

#include "core/base/check.h"
#include "core/cost/cost.h"

namespace dasgd {

namespace {

double now() { return simgrid::s4u::Engine::get_clock(); }

LinkCost reached(LinkCost link, const NetworkParams& network) {
    link.beta /= network.efficiency;
    return link;
}

LinkCost neighbours(const Wire& wire, const NetworkParams& network) {
    return reached(wire.worstNeighbourLink(network.reduceSecondsPerByte()), network);
}

bool isHierarchical(const NetworkParams& network) {
    return network.allReduce().method == AllReduceMethod::Hierarchical;
}

// All groups' rings go at once.
LinkCost withinGroups(const Wire& wire, const NetworkParams& network) {
    if (!isHierarchical(network)) return {};
    const auto next = [size = network.allReduce().groupSize](int rank) {
        return rank / size * size + (rank + 1) % size;
    };
    return reached(wire.worstOfAllWays(next, network.reduceSecondsPerByte()), network);
}

// And so do those between the groups, one for each of a group's ranks.
LinkCost betweenGroups(const Wire& wire, const NetworkParams& network) {
    if (!isHierarchical(network)) return {};
    const auto next = [size = network.allReduce().groupSize, ranks = static_cast<int>(wire.hosts().size())](int rank) {
        return (rank + size) % ranks;
    };
    return reached(wire.worstOfAllWays(next, network.reduceSecondsPerByte()), network);
}

}  // namespace

VirtualGroup::VirtualGroup(Wire& wire, const NetworkParams& network, int ranks, std::function<void(int)> changed)
    : wire_(wire),
      allReduce_(network.allReduce()),
      authors_(network.authorsExchange()),
      byFormula_(network.fidelity == "formula"),
      link_(neighbours(wire, network)),
      within_(withinGroups(wire, network)),
      between_(betweenGroups(wire, network)),
      changed_(std::move(changed)),
      queues_(static_cast<std::size_t>(ranks)) {}

std::shared_ptr<SharedCollective> VirtualGroup::arrive(int rank, std::uint64_t number, Arrival arrival) {
    auto& slot = open_[number];
    if (!slot) {
        slot = std::make_shared<SharedCollective>();
        slot->kind = arrival.kind;
        slot->op = arrival.op;
        slot->root = arrival.root;
        slot->opener = rank;
        slot->free = arrival.free;
        slot->elementBytes = static_cast<std::int64_t>(arrival.contribution.in.element_size());
        slot->bytes = static_cast<std::int64_t>(arrival.contribution.in.nbytes());
        slot->contributions.resize(queues_.size());
        slot->parts.resize(queues_.size());
    }
    const std::shared_ptr<SharedCollective> collective = slot;
    if (collective->arrived > 0) {
        const auto& opened = collective->contributions[static_cast<std::size_t>(collective->opener)];
        checkSame(number, {Rank{collective->opener}, collective->kind, collective->op, collective->root, opened->in},
                  {Rank{rank}, arrival.kind, arrival.op, arrival.root, arrival.contribution.in});
    }
    const auto own = static_cast<std::size_t>(rank);
    collective->contributions[own] = std::move(arrival.contribution);
    if (++collective->arrived == size()) {
        open_.erase(number);
        const bool computed = !collective->contributions[0]->in.is_meta();
        if (computed) carryOut(collective->kind, collective->op, collective->root, collective->contributions);
        // Whoever was through before the last one came.
        for (int other = 0; other < size(); ++other) settle(collective, other);
    }
    if (collective->free) {
        collective->parts[own].began = now();
        walked(collective, rank);
        return collective;
    }
    queues_[own].push_back(collective);
    if (queues_[own].size() == 1) begin(rank);
    return collective;
}

void VirtualGroup::begin(int rank) {
    const std::shared_ptr<SharedCollective> collective = queues_[static_cast<std::size_t>(rank)].front();
    collective->parts[static_cast<std::size_t>(rank)].began = now();
    ++collective->began;
    changed_(rank);
    if (byFormula_ || size() == 1) {
        if (collective->began == size()) beginFormula(collective);
        return;
    }
    if (!collective->walk) {
        collective->walk = std::make_shared<CollectiveWalk>(
            wire_, scheduleOf(*collective), size(), link_.rho,
            [this, weak = std::weak_ptr(collective)](int done) { walked(weak.lock(), done); });
    }
    collective->walk->enter(rank);
}

void VirtualGroup::beginFormula(const std::shared_ptr<SharedCollective>& collective) {
    wire_.passAllIn(formulaSeconds(*collective), [this, collective] {
        for (int rank = 0; rank < size(); ++rank) walked(collective, rank);
    });
}

void VirtualGroup::walked(const std::shared_ptr<SharedCollective>& collective, int rank) {
    collective->parts[static_cast<std::size_t>(rank)].walked = true;
    settle(collective, rank);
}

// The rank's result is there once its messages are through and everyone has given its part.
void VirtualGroup::settle(const std::shared_ptr<SharedCollective>& collective, int rank) {
    auto& part = collective->parts[static_cast<std::size_t>(rank)];
    if (!part.walked || part.done || collective->arrived < size()) return;
    part.done = true;
    part.ended = now();
    if (collective->free) {
        changed_(rank);
        return;
    }
    auto& queue = queues_[static_cast<std::size_t>(rank)];
    DASGD_CHECK(queue.front() == collective);
    queue.pop_front();
    changed_(rank);
    if (!queue.empty()) begin(rank);
}

bool VirtualGroup::isBusy(int rank) const {
    const auto& queue = queues_[static_cast<std::size_t>(rank)];
    return !queue.empty();
}

double VirtualGroup::formulaSeconds(const SharedCollective& collective) const {
    if (size() == 1) return 0;
    const auto bytes = static_cast<double>(collective.bytes);
    switch (collective.kind) {
        case CollectiveKind::AllReduce:
            if (authors_) return authorsExchangeSeconds(*authors_, 1 / link_.beta, bytes, size());
            if (allReduce_.method == AllReduceMethod::Hierarchical) {
                return hierarchicalAllReduceSeconds(within_, between_, bytes, size(), allReduce_.groupSize);
            }
            return allReduceSeconds(allReduce_, link_, bytes, size());
        case CollectiveKind::AllGather: return allGatherSeconds(link_, bytes, size());
        case CollectiveKind::Broadcast: return broadcastSeconds(link_, bytes, size());
    }
    return 0;
}

std::int64_t VirtualGroup::bytesSentBy(int rank, const Arrival& arrival) const {
    const at::Tensor& in = arrival.contribution.in;
    const SharedCollective collective{.kind = arrival.kind,
                                      .root = arrival.root,
                                      .elementBytes = static_cast<std::int64_t>(in.element_size()),
                                      .bytes = static_cast<std::int64_t>(in.nbytes())};
    if (arrival.kind == CollectiveKind::AllReduce && authors_) {
        return std::llround(authorsExchangeSeconds(*authors_, 1, static_cast<double>(collective.bytes), size()));
    }
    if (arrival.kind == CollectiveKind::AllReduce && allReduce_.method == AllReduceMethod::Ring) {
        return 2 * collective.bytes * (size() - 1) / size();
    }
    const auto schedule = scheduleOf(collective);
    std::int64_t bytes = 0;
    Round round;
    for (int number = 0; number < schedule->rounds(); ++number) {
        schedule->fill(rank, number, round);
        for (const Transfer& send : round.sends) bytes += send.bytes;
    }
    return bytes;
}

std::unique_ptr<MessageSchedule> VirtualGroup::scheduleOf(const SharedCollective& collective) const {
    const Payload payload{.bytes = collective.bytes, .elementBytes = collective.elementBytes};
    switch (collective.kind) {
        case CollectiveKind::AllReduce: return std::move(allReduceSchedule(allReduce_, payload, size()).value());
        case CollectiveKind::AllGather: return allGatherSchedule(collective.bytes, size());
        case CollectiveKind::Broadcast: return broadcastSchedule(collective.bytes, size(), collective.root.value());
    }
    return nullptr;
}

std::shared_ptr<SharedMessage> VirtualGroup::post(int from, int to, int tag, const at::Tensor& tensor, bool sending,
                                                  bool free) {
    const Channel channel{from, to, tag};
    auto& partners = sending ? receives_[channel] : sends_[channel];
    std::shared_ptr<SharedMessage> message;
    const bool matched = !partners.empty();
    if (matched) {
        message = partners.front();
        partners.pop_front();
    } else {
        message = std::make_shared<SharedMessage>();
        (sending ? sends_ : receives_)[channel].push_back(message);
    }
    (sending ? message->out : message->in) = tensor;
    if (!matched) return message;
    message->launched = now();
    const auto arrived = [this, message, from, to] {
        const at::NoGradGuard guard;
        message->in.copy_(message->out);
        message->done = true;
        message->ended = now();
        changed_(from);
        changed_(to);
    };
    const auto bytes = static_cast<std::int64_t>(message->out.nbytes());
    if (free || from == to) {
        wire_.ringIn(0, arrived);
    } else if (byFormula_) {
        wire_.passIn(from, to, messageSeconds(link_, static_cast<double>(bytes)), arrived);
    } else {
        wire_.send(from, to, bytes, arrived);
    }
    return message;
}

}  // namespace dasgd
