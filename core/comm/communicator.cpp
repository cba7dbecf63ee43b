#include "core/comm/communicator.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/check.h"

namespace dasgd {

namespace {

constexpr std::size_t kMembersToName = 8;

std::string listOf(const std::vector<Rank>& ranks, std::size_t most) {
    std::string text;
    for (std::size_t i = 0; i < std::min(ranks.size(), most); ++i) {
        if (i > 0) text += ',';
        text += std::to_string(ranks[i].value());
    }
    return ranks.size() > most ? text + ",… (" + std::to_string(ranks.size()) + ")" : text;
}

std::int64_t bytesOf(const at::Tensor& tensor) { return static_cast<std::int64_t>(tensor.nbytes()); }

void checkShapes(const CollectiveCall& call, Rank rank, int size) {
    const std::int64_t in = call.in.numel(), out = call.out.numel();
    DASGD_CHECK(call.in.is_contiguous() && call.out.is_contiguous() && call.in.dtype() == call.out.dtype());
    switch (call.kind) {
        case CollectiveKind::AllReduce: break;
        case CollectiveKind::ReduceScatter: DASGD_CHECK(in == out * size); break;
        case CollectiveKind::AllGather: DASGD_CHECK(out == in * size); break;
        case CollectiveKind::AllGatherV:
            DASGD_CHECK(call.counts.size() == static_cast<std::size_t>(size));
            DASGD_CHECK(in == call.counts[static_cast<std::size_t>(rank.value())]);
            DASGD_CHECK(out == std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0}));
            break;
        case CollectiveKind::AllToAll: DASGD_CHECK(in == out && in % size == 0 && !call.in.is_same(call.out)); break;
        case CollectiveKind::Broadcast: DASGD_CHECK(call.root.value() >= 0 && call.root.value() < size); break;
    }
}

void checkMessage(const MessageCall& call, int size) {
    DASGD_CHECK(call.tag >= 0 && call.tensor.is_contiguous() && (call.peer || !call.sends));
    DASGD_CHECK(!call.peer || (call.peer->value() >= 0 && call.peer->value() < size));
}

}  // namespace

Group Group::whole(Rank rank, int size) {
    Group group{.rank = rank};
    for (int r = 0; r < size; ++r) group.members.emplace_back(r);
    return group;
}

Pending Communicator::allReduce(at::Tensor& tensor, Reduce op) {
    return launch(CollectiveCall{.kind = CollectiveKind::AllReduce, .op = op, .in = tensor, .out = tensor});
}
Pending Communicator::reduceScatter(const at::Tensor& in, at::Tensor& out, Reduce op) {
    return launch(CollectiveCall{.kind = CollectiveKind::ReduceScatter, .op = op, .in = in, .out = out});
}
Pending Communicator::allGather(const at::Tensor& in, at::Tensor& out) {
    return launch(CollectiveCall{.kind = CollectiveKind::AllGather, .in = in, .out = out});
}
Pending Communicator::allGatherV(const at::Tensor& in, at::Tensor& out, std::vector<std::int64_t> counts) {
    return launch(
        CollectiveCall{.kind = CollectiveKind::AllGatherV, .in = in, .out = out, .counts = std::move(counts)});
}
Pending Communicator::allToAll(const at::Tensor& in, at::Tensor& out) {
    return launch(CollectiveCall{.kind = CollectiveKind::AllToAll, .in = in, .out = out});
}
Pending Communicator::broadcast(at::Tensor& tensor, Rank root) {
    return launch(CollectiveCall{.kind = CollectiveKind::Broadcast, .root = root, .in = tensor, .out = tensor});
}
Pending Communicator::send(const at::Tensor& tensor, Rank to, int tag) {
    return launch(MessageCall{.sends = true, .peer = to, .tag = tag, .tensor = tensor});
}
Pending Communicator::receive(at::Tensor& tensor, Rank from, int tag) {
    return launch(MessageCall{.sends = false, .peer = from, .tag = tag, .tensor = tensor});
}
Pending Communicator::receiveAny(at::Tensor& tensor, int tag) {
    return launch(MessageCall{.sends = false, .peer = std::nullopt, .tag = tag, .tensor = tensor});
}

Pending Communicator::launch(CollectiveCall call) {
    checkShapes(call, rank(), size());
    const std::uint64_t number = nextCollective();
    ++collectives_;
    Pending pending = start(std::move(call), number);
    pending.ranks_ = group_.key == 0 ? 0 : size();
    return pending;
}

Pending Communicator::launch(MessageCall call) {
    checkMessage(call, size());
    return start(std::move(call));
}

std::vector<Pending> Communicator::exchange(std::vector<MessageCall> messages) {
    for (const MessageCall& message : messages) {
        checkMessage(message, size());
        DASGD_CHECK(message.peer && message.tag == messages.front().tag);
    }
    if (messages.empty()) return {};
    return startExchange(std::move(messages));
}

std::vector<Pending> Communicator::startExchange(std::vector<MessageCall> messages) {
    std::vector<Pending> pending;
    pending.reserve(messages.size());
    for (MessageCall& message : messages) pending.push_back(start(std::move(message)));
    return pending;
}

std::unique_ptr<Communicator> Communicator::split(const std::vector<Rank>& ranks, bool counted) {
    Group group;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (ranks[i] == rank()) group.rank = Rank(static_cast<int>(i));
        DASGD_CHECK(std::ranges::count(ranks, ranks[i]) == 1);
        group.members.push_back(group_.members.at(static_cast<std::size_t>(ranks[i].value())));
    }
    DASGD_CHECK(std::ranges::count(ranks, rank()) == 1);
    int ordinal = 0;
    {
        const std::lock_guard lock(splitMutex_);
        ordinal = ++splits_[ranks];
    }
    group.name = " of ranks " + listOf(group.members, kMembersToName);
    group.path = group_.path + "/" + listOf(group.members, group.members.size()) + "#" + std::to_string(ordinal);
    std::unique_ptr<Communicator> communicator = open(std::move(group));
    DASGD_CHECK(communicator->group().key != 0);
    if (counted) communicator->bytesSent_ = bytesSent_;
    return communicator;
}

std::int64_t bytesOnWire(const CollectiveCall& call, Rank rank, int size) {
    switch (call.kind) {
        case CollectiveKind::AllReduce: return 2 * bytesOf(call.in) * (size - 1) / size;
        case CollectiveKind::ReduceScatter:
        case CollectiveKind::AllToAll: return bytesOf(call.in) / size * (size - 1);
        case CollectiveKind::AllGather:
        case CollectiveKind::AllGatherV: return bytesOf(call.in) * (size - 1);
        case CollectiveKind::Broadcast: return call.root == rank ? bytesOf(call.in) * (size - 1) : 0;
    }
    return 0;
}

std::string describe(CollectiveKind kind, std::uint64_t number, std::size_t bytes) {
    constexpr const char* names[] = {"all_reduce",   "reduce_scatter", "all_gather",
                                     "all_gather_v", "all_to_all",     "broadcast"};
    return names[static_cast<std::size_t>(kind)] + (" #" + std::to_string(number & 0xffff'ffffU)) + " (" +
           std::to_string(bytes) + " bytes)";
}

std::string describe(const CollectiveCall& call, std::uint64_t number) {
    return describe(call.kind, number, call.in.nbytes());
}

std::string describe(const MessageCall& call) {
    const std::string peer = call.peer ? "rank " + std::to_string(call.peer->value()) : "any rank";
    return (call.sends ? "send to " : "receive from ") + peer + ", tag " + std::to_string(call.tag) + " (" +
           std::to_string(call.tensor.nbytes()) + " bytes)";
}

std::string describe(const std::vector<MessageCall>& exchange, std::uint64_t number) {
    std::set<Rank> peers;
    std::size_t bytes = 0;
    for (const MessageCall& message : exchange) {
        peers.insert(message.peer.value());
        if (message.sends) bytes += message.tensor.nbytes();
    }
    return "exchange #" + std::to_string(number) + (peers.size() == 1 ? " with rank " : " with ranks ") +
           listOf({peers.begin(), peers.end()}, kMembersToName) + " (" + std::to_string(bytes) + " bytes)";
}

}  // namespace dasgd
