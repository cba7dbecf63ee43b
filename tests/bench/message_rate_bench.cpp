// Messages a second through the virtual cluster's communicator, without tensors and computing, so that everything else
// counts for nothing: all-reduces by ring, or rounds of gossip, in which every rank exchanges with its two neighbours
// in a ring. Ranks and times may be given.
//
//   build/release/tests/bench/message_rate_bench all-reduce 256 20
//   build/release/tests/bench/message_rate_bench gossip 64 2000
#include <torch/types.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/sim/engine/world.h"

namespace {

using namespace dasgd;

void allReduce(Communicator& comm, int times) {
    at::Tensor tensor = torch::empty({comm.size()}, at::TensorOptions().device(at::kMeta));
    for (int i = 0; i < times; ++i) {
        Pending pending = comm.allReduce(tensor, Reduce::Sum);
        pending.wait();
    }
}

void gossip(Communicator& comm, int times) {
    const at::Tensor tensor = torch::empty({1}, at::TensorOptions().device(at::kMeta));
    const Rank before((comm.rank().value() + comm.size() - 1) % comm.size());
    const Rank after((comm.rank().value() + 1) % comm.size());
    for (int i = 0; i < times; ++i) {
        std::vector<MessageCall> messages;
        for (const Rank peer : {before, after}) {
            messages.push_back({.peer = peer, .tag = 0, .tensor = tensor});
            messages.push_back({.sends = true, .peer = peer, .tag = 0, .tensor = tensor});
        }
        for (Pending& pending : comm.exchange(std::move(messages))) pending.wait();
    }
}

double seconds(int ranks, const std::function<void(Communicator&)>& work) {
    const auto topology = TopologyRegistry::find("star")->create(Value(), {});
    auto world = VirtualWorld::create(**topology, {.ranks = ranks});
    const auto begin = std::chrono::steady_clock::now();
    (*world)->run([&](VirtualRank& rank) { work(rank.comm); });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
    const std::string kind = argc > 1 ? argv[1] : "all-reduce";
    const bool isGossip = kind == "gossip";
    const int ranks = argc > 2 ? std::atoi(argv[2]) : 256;
    const int times = argc > 3 ? std::atoi(argv[3]) : 20;
    if (argc > 4 || (!isGossip && kind != "all-reduce") || ranks < 3 || times < 1) {
        std::fprintf(stderr, "usage: message_rate_bench [all-reduce|gossip [RANKS >= 3 [TIMES]]]\n");
        return 2;
    }
    const double took =
        seconds(ranks, [&](Communicator& comm) { isGossip ? gossip(comm, times) : allReduce(comm, times); });
    // Every rank sends in each of the 2(P − 1) rounds of an all-reduce, and to both neighbours in one of gossip.
    const double messages = (isGossip ? 2.0 : 2.0 * (ranks - 1)) * ranks * times;
    std::printf("%d ranks, %d times %s: %.0f messages in %.2f s, %.0f a second\n", ranks, times, kind.c_str(), messages,
                took, messages / took);
}
