// State that the actors of ranks share, and the errors where one of them does not come.
#include "core/sim/engine/world.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <array>
#include <functional>

#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(VirtualWorld, AutogradStaysOnInOneRankWhileAnotherHasItOff) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        const bool off = rank.comm.rank() == Rank{0};
        const at::AutoGradMode mode(!off);
        for (int i = 0; i < 3; ++i) {
            at::Tensor tensor = torch::ones({8});
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
            EXPECT_EQ(at::GradMode::is_enabled(), !off);
        }
    });
}

TEST(VirtualWorld, ADeadlockSaysWhoWaitsForWhat) {
    std::string first, second;
    onVirtualCluster("star", gigabit(), {.ranks = 3, .timeout = std::chrono::milliseconds(5000)},
                     [&](VirtualRank& rank) {
                         at::Tensor tensor = torch::ones({4});
                         try {
                             if (rank.comm.rank() == Rank{0}) {
                                 Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
                                 pending.wait();
                             } else if (rank.comm.rank() == Rank{1}) {
                                 rank.clock.sleepUntil(1'000'000'000);
                                 Pending pending = rank.comm.receive(tensor, Rank{0}, 3);
                                 pending.wait();
                             }
                         } catch (const CommError& error) {
                             (rank.comm.rank() == Rank{0} ? first : second) = error.what();
                         }
                     });
    EXPECT_THAT(first, AllOf(HasSubstr("rank 0: all_reduce #1 (16 bytes) did not end within 5000 ms"),
                             HasSubstr("rank 1 waits (rank 1: receive from rank 0, tag 3 (16 bytes))"),
                             HasSubstr("rank 2 has ended")));
    EXPECT_THAT(second, HasSubstr("rank 1: receive from rank 0, tag 3 (16 bytes) did not end within 5000 ms"));
}

// Errors that two ranks get whose second collective is a broadcast from rank 1 on rank 0, and `second` on rank 1.
std::array<std::string, 2> heardOf(const std::function<Pending(Communicator& comm, at::Tensor& tensor)>& second) {
    std::array<std::string, 2> heard;
    onVirtualCluster("star", gigabit(), {.ranks = 2, .timeout = std::chrono::milliseconds(100)},
                     [&](VirtualRank& rank) {
                         at::Tensor tensor = torch::ones({4});
                         const int own = rank.comm.rank().value();
                         rank.clock.sleepUntil(1'000'000 * own);
                         try {
                             Pending one = rank.comm.allReduce(tensor, Reduce::Sum);
                             Pending two = own == 0 ? rank.comm.broadcast(tensor, Rank{1}) : second(rank.comm, tensor);
                             two.wait();
                         } catch (const CommError& error) {
                             heard[static_cast<std::size_t>(own)] = error.what();
                         }
                     });
    return heard;
}

TEST(VirtualWorld, SaysWhichRanksLaunchedWhatInOnePlace) {
    const auto heard =
        heardOf([](Communicator& comm, at::Tensor& tensor) { return comm.allReduce(tensor, Reduce::Max); });
    EXPECT_EQ(heard[1],
              "rank 1: all_reduce #2 (16 bytes), max, but rank 0: broadcast #2 (16 bytes) from rank 1; every "
              "rank must launch the same collectives in the same order");
    EXPECT_THAT(heard[0], HasSubstr("rank 0: broadcast #2 (16 bytes) did not end within 100 ms"));
}

TEST(VirtualWorld, SaysSoOfAnotherRoot) {
    const auto heard = heardOf([](Communicator& comm, at::Tensor& tensor) { return comm.broadcast(tensor, Rank{0}); });
    EXPECT_THAT(heard[1], HasSubstr("broadcast #2 (16 bytes) from rank 0, but rank 0: broadcast #2 (16 bytes) from "
                                    "rank 1"));
}

TEST(VirtualWorld, SaysSoOfAnotherSize) {
    at::Tensor half = torch::ones({2});
    const auto heard = heardOf([&](Communicator& comm, at::Tensor&) { return comm.broadcast(half, Rank{1}); });
    EXPECT_THAT(heard[1], HasSubstr("broadcast #2 (8 bytes) from rank 1, but rank 0: broadcast #2 (16 bytes)"));
}

TEST(VirtualWorld, AnAbortReachesWhoeverWaits) {
    std::string heard;
    VirtualWorld* cluster = nullptr;
    const auto topology = TopologyRegistry::find("star")->create(gigabit(), {});
    auto world = VirtualWorld::create(**topology, {.ranks = 2});
    cluster = world->get();
    cluster->run([&](VirtualRank& rank) {
        if (rank.comm.rank() == Rank{0}) {
            rank.clock.sleepUntil(2'000'000);
            cluster->abort("rank 0 diverged");
            return;
        }
        at::Tensor tensor = torch::ones({4});
        Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
        try {
            pending.wait();
        } catch (const CommError& error) {
            heard = error.what();
            EXPECT_EQ(rank.clock.now(), 2'000'000);
        }
    });
    EXPECT_THAT(heard, HasSubstr("failed: rank 0 diverged"));
}

}  // namespace
}  // namespace dasgd::test
