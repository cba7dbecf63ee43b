#include "core/comm/group_maths.h"

#include <torch/types.h>

#include <string>

namespace dasgd {

at::Tensor reducePairwise(std::vector<at::Tensor> tensors, Reduce op) {
    const std::size_t count = tensors.size();
    while (tensors.size() > 1) {
        std::vector<at::Tensor> next;
        for (std::size_t i = 0; i + 1 < tensors.size(); i += 2) {
            next.push_back(op == Reduce::Max ? at::maximum(tensors[i], tensors[i + 1]) : tensors[i] + tensors[i + 1]);
        }
        if (tensors.size() % 2 == 1) next.push_back(tensors.back());
        tensors = std::move(next);
    }
    at::Tensor result = count == 1 ? tensors[0].clone() : tensors[0];
    if (op == Reduce::Mean && count > 1) result.div_(static_cast<double>(count));
    return result;
}

namespace {

using Arrivals = std::vector<std::optional<CollectiveCall>>;

// Rank r's share of a tensor that holds one share a rank.
at::Tensor share(const at::Tensor& whole, std::size_t rank, std::size_t ranks) {
    const std::int64_t each = whole.numel() / static_cast<std::int64_t>(ranks);
    return whole.view(-1).narrow(0, static_cast<std::int64_t>(rank) * each, each);
}

void reduceAll(Arrivals& arrivals) {
    std::vector<at::Tensor> tensors;
    for (const auto& arrival : arrivals) tensors.push_back(arrival->in);
    const at::Tensor result = reducePairwise(std::move(tensors), arrivals[0]->op);
    for (std::size_t r = 0; r < arrivals.size(); ++r) {
        if (arrivals[r]->kind == CollectiveKind::AllReduce) {
            arrivals[r]->out.copy_(result);
        } else {
            arrivals[r]->out.view(-1).copy_(share(result, r, arrivals.size()));
        }
    }
}

void gatherInto(CollectiveCall& mine, const Arrivals& arrivals) {
    std::int64_t begin = 0;
    for (const auto& arrival : arrivals) {
        const std::int64_t count = arrival->in.numel();
        mine.out.view(-1).narrow(0, begin, count).copy_(arrival->in.view(-1));
        begin += count;
    }
}

}  // namespace

void carryOut(Arrivals& arrivals) {
    const at::NoGradGuard guard;
    const CollectiveKind kind = arrivals[0]->kind;
    if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter) return reduceAll(arrivals);
    const std::size_t ranks = arrivals.size();
    for (std::size_t own = 0; own < ranks; ++own) {
        CollectiveCall& mine = *arrivals[own];
        if (kind == CollectiveKind::Broadcast) {
            const at::Tensor& source = arrivals[static_cast<std::size_t>(mine.root.value())]->in;
            if (!mine.out.is_same(source)) mine.out.copy_(source);
        } else if (kind == CollectiveKind::AllToAll) {
            for (std::size_t r = 0; r < ranks; ++r) share(mine.out, r, ranks).copy_(share(arrivals[r]->in, own, ranks));
        } else {
            gatherInto(mine, arrivals);
        }
    }
}

void copyMessage(const at::Tensor& from, Rank sender, at::Tensor to) {
    if (from.nbytes() != to.nbytes() || from.dtype() != to.dtype()) {
        throw CommError("rank " + std::to_string(sender.value()) + " sent " + std::to_string(from.nbytes()) +
                        " bytes of another tensor");
    }
    const at::NoGradGuard guard;
    to.view(-1).copy_(from.view(-1));
}

namespace {

// "rank 1: all_reduce #17 (16 bytes), sum".
std::string inWords(const Group& group, std::uint64_t number, Rank rank, const CollectiveCall& call) {
    constexpr const char* ops[] = {", sum", ", mean", ", max"};
    const std::string label = group.nameOf(rank) + ": " + describe(call, number);
    switch (call.kind) {
        case CollectiveKind::AllReduce:
        case CollectiveKind::ReduceScatter: return label + ops[static_cast<std::size_t>(call.op)];
        case CollectiveKind::Broadcast: return label + " from rank " + std::to_string(call.root.value());
        case CollectiveKind::AllGatherV: {
            std::string counts;
            for (const std::int64_t count : call.counts) counts += (counts.empty() ? "" : ",") + std::to_string(count);
            return label + " of " + counts + " elements";
        }
        case CollectiveKind::AllGather:
        case CollectiveKind::AllToAll: break;
    }
    return label;
}

}  // namespace

void checkSame(const Group& group, std::uint64_t number, Rank openedBy, const CollectiveCall& opened, Rank mineBy,
               const CollectiveCall& mine) {
    const bool sameSize =
        mine.kind == CollectiveKind::AllGatherV ? opened.counts == mine.counts : opened.in.nbytes() == mine.in.nbytes();
    if (opened.kind == mine.kind && opened.op == mine.op && opened.root == mine.root && sameSize) return;
    throw CommError(inWords(group, number, mineBy, mine) + ", but " + inWords(group, number, openedBy, opened) +
                    "; every rank must launch the same collectives in the same order");
}

}  // namespace dasgd
