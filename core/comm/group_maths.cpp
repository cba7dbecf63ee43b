#include "core/comm/group_maths.h"

#include <torch/types.h>

namespace dasgd {

namespace {

// Pairwise in rank order: exact for the mean of 2^n equal values.
at::Tensor combine(const std::vector<std::optional<Contribution>>& arrivals, Reduce op) {
    std::vector<at::Tensor> level;
    level.reserve(arrivals.size());
    for (const auto& arrival : arrivals) level.push_back(arrival->in);
    while (level.size() > 1) {
        std::vector<at::Tensor> next;
        for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
            next.push_back(op == Reduce::Max ? at::maximum(level[i], level[i + 1]) : level[i] + level[i + 1]);
        }
        if (level.size() % 2 == 1) next.push_back(level.back());
        level = std::move(next);
    }
    at::Tensor result = arrivals.size() == 1 ? level[0].clone() : level[0];
    if (op == Reduce::Mean && arrivals.size() > 1) result.div_(static_cast<double>(arrivals.size()));
    return result;
}

}  // namespace

void carryOut(CollectiveKind kind, Reduce op, Rank root, std::vector<std::optional<Contribution>>& arrivals) {
    const at::NoGradGuard guard;
    if (kind == CollectiveKind::AllReduce) {
        const at::Tensor result = combine(arrivals, op);
        for (auto& arrival : arrivals) arrival->out.copy_(result);
        return;
    }
    for (auto& arrival : arrivals) {
        if (kind == CollectiveKind::Broadcast) {
            const at::Tensor& source = arrivals[static_cast<std::size_t>(root.value())]->in;
            if (!arrival->out.is_same(source)) arrival->out.copy_(source);
            continue;
        }
        for (std::size_t r = 0; r < arrivals.size(); ++r) {
            arrival->out.select(0, static_cast<std::int64_t>(r)).copy_(arrivals[r]->in);
        }
    }
}

std::string labelOf(Rank rank, CollectiveKind kind, std::uint64_t number, const at::Tensor& in) {
    constexpr const char* names[] = {"all_reduce", "all_gather", "broadcast"};
    return "rank " + std::to_string(rank.value()) + ": " + names[static_cast<std::size_t>(kind)] + " #" +
           std::to_string(number) + " (" + std::to_string(in.nbytes()) + " bytes)";
}

namespace {

// "rank 1: all_reduce #17 (16 bytes), sum".
std::string inWords(std::uint64_t number, const Launch& launch) {
    constexpr const char* ops[] = {", sum", ", mean", ", max"};
    const std::string label = labelOf(launch.rank, launch.kind, number, launch.in);
    switch (launch.kind) {
        case CollectiveKind::AllReduce: return label + ops[static_cast<std::size_t>(launch.op)];
        case CollectiveKind::Broadcast: return label + " from rank " + std::to_string(launch.root.value());
        case CollectiveKind::AllGather: break;
    }
    return label;
}

}  // namespace

void checkSame(std::uint64_t number, const Launch& opened, const Launch& mine) {
    if (opened.kind == mine.kind && opened.op == mine.op && opened.root == mine.root &&
        opened.in.nbytes() == mine.in.nbytes()) {
        return;
    }
    throw CommError(inWords(number, mine) + ", but " + inWords(number, opened) +
                    "; every rank must launch the same collectives in the same order");
}

}  // namespace dasgd
