// Messages a second through the virtual cluster's communicator: small all-reduces by ring, no tensors and no computing,
// so that everything else counts for nothing. Ranks and all-reduces may be given.
//
//   build/release/tests/bench/message_rate_bench      256 20
#include <torch/types.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/sim/engine/world.h"

namespace {

using namespace dasgd;

double seconds(int ranks, int times) {
    const auto topology = TopologyRegistry::find("star")->create(Value(), {});
    auto world = VirtualWorld::create(**topology, {.ranks = ranks});
    const auto begin = std::chrono::steady_clock::now();
    (*world)->run([&](VirtualRank& rank) {
        at::Tensor tensor = torch::empty({ranks}, at::TensorOptions().device(at::kMeta));
        for (int i = 0; i < times; ++i) {
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
        }
    });
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
    const int ranks = argc > 1 ? std::atoi(argv[1]) : 256;
    const int times = argc > 2 ? std::atoi(argv[2]) : 20;
    const double took = seconds(ranks, times);
    // Every rank sends in each of the 2(P − 1) rounds.
    const double messages = 2.0 * (ranks - 1) * ranks * times;
    std::printf("%d ranks, %d all-reduces: %.0f messages in %.2f s, %.0f a second\n", ranks, times, messages, took,
                messages / took);
}
