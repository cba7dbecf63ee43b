#include "core/sim/engine/virtual_comm.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <exception>
#include <functional>
#include <vector>

#include "core/cost/cost.h"
#include "tests/support/comm/communicator_behaviour.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

// Ranks of a virtual cluster for the contract: an engine a process, so one test a process.
ContractBackend simulatedBackend(const std::string& fidelity) {
    const auto run = [fidelity](int ranks, const ContractBackend::Body& body, std::chrono::milliseconds timeout) {
        NetworkParams network;
        network.fidelity = fidelity;
        const auto topology = TopologyRegistry::find("star")->create(gigabit(), {});
        auto world = VirtualWorld::create(**topology, {.ranks = ranks, .timeout = timeout, .network = network});
        if (!world) throw std::runtime_error(world.error().message);
        std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
        (*world)->run([&](VirtualRank& rank) {
            try {
                body(rank.comm, rank.clock);
            } catch (...) {
                errors[static_cast<std::size_t>(rank.comm.rank().value())] = std::current_exception();
                (*world)->abort("a rank failed");
            }
        });
        for (const std::exception_ptr& error : errors) {
            if (error) std::rethrow_exception(error);
        }
    };
    return {.name = "virtual_" + fidelity,
            .run = run,
            .pairwise = true,
            .linkSeconds = 4.0 * ContractBackend::kLinkFloats / kBytesPerSecond};
}

std::vector<ContractBackend> simulatedBackends() { return {simulatedBackend("messages"), simulatedBackend("formula")}; }

INSTANTIATE_TEST_SUITE_P(Virtual, CommunicatorContract, contractOf(simulatedBackends()), contractName);
INSTANTIATE_TEST_SUITE_P(Virtual, CommunicatorBehaviour, testing::ValuesIn(simulatedBackends()), behaviourName);

// Groups on one link: by messages they share its bandwidth, by formula they take turns.
class VirtualGroups : public testing::TestWithParam<std::string> {};

TEST_P(VirtualGroups, OnOneLinkTakeTheTimeOfBoth) {
    NetworkParams network;
    network.fidelity = GetParam();
    onVirtualCluster("star", gigabit(), {.ranks = 2, .network = network}, [&](VirtualRank& rank) {
        const auto group = rank.comm.split({Rank{0}, Rank{1}});
        at::Tensor one = torch::ones({250'000}), two = torch::ones({250'000});
        Pending whole = rank.comm.allReduce(one, Reduce::Sum);
        Pending part = group->allReduce(two, Reduce::Sum);
        whole.wait();
        part.wait();
        const double bytes = 2 * 1e6 / kBytesPerSecond;  // 2S(P−1)/P, for both
        EXPECT_NEAR(seconds(std::max(whole.interval()->end, part.interval()->end)), bytes, 5 * kLatency);
    });
}

INSTANTIATE_TEST_SUITE_P(Fidelities, VirtualGroups, testing::Values("messages", "formula"),
                         [](const auto& info) { return info.param; });

TEST(VirtualCommunicator, AMessageTakesItsTimeFromWhenBothEndsAreThere) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({250'000});
        if (rank.comm.rank() == Rank{1}) rank.clock.sleepUntil(20'000'000);
        Pending pending =
            rank.comm.rank() == Rank{0} ? rank.comm.send(tensor, Rank{1}, 0) : rank.comm.receive(tensor, Rank{0}, 0);
        pending.wait();
        EXPECT_EQ(pending.interval()->start, 20'000'000);
        EXPECT_NEAR(seconds(pending.interval()->end), 0.028 + kLatency, 1e-8);
    });
}

// Seconds of a collective of 4 ranks, by messages.
double secondsOf(const std::function<Pending(Communicator& comm)>& collective) {
    double took = 0;
    onVirtualCluster("star", gigabit(), {.ranks = 4}, [&](VirtualRank& rank) {
        Pending pending = collective(rank.comm);
        pending.wait();
        took = std::max(took, seconds(pending.interval()->end));
    });
    return took;
}

constexpr LinkCost kGigabit{.alpha = kLatency, .beta = 1 / kBytesPerSecond};

TEST(VirtualCommunicator, AReduceScatterTakesItsFormula) {
    const double took = secondsOf([](Communicator& comm) {
        at::Tensor out = torch::ones({250'000});
        return comm.reduceScatter(torch::ones({4, 250'000}), out, Reduce::Sum);
    });
    EXPECT_NEAR(took, reduceScatterSeconds(kGigabit, 4e6, 4), 1e-6);
}

TEST(VirtualCommunicator, AnAllToAllTakesItsFormula) {
    const double took = secondsOf([](Communicator& comm) {
        at::Tensor out = torch::ones({4, 250'000});
        return comm.allToAll(torch::ones({4, 250'000}), out);
    });
    EXPECT_NEAR(took, allToAllSeconds(kGigabit, 4e6, 4), 1e-6);
}

TEST(VirtualCommunicator, AnUnevenAllGatherTakesTheTimeOfItsLargestShare) {
    const double took = secondsOf([](Communicator& comm) {
        const std::vector<std::int64_t> counts{0, 1000, 250'000, 10};
        at::Tensor out = torch::ones({251'010});
        return comm.allGatherV(torch::ones({counts[static_cast<std::size_t>(comm.rank().value())]}), out, counts);
    });
    EXPECT_NEAR(took, allGatherSeconds(kGigabit, 1e6, 4), 1e-6);
}

TEST(VirtualCommunicator, AChainGoesOnAtTheInstantOfTheFirstsEnd) {
    onVirtualCluster("star", gigabit(), {.ranks = 2, .times = {.forward = 1}}, [&](VirtualRank& rank) {
        at::Tensor first = torch::ones({250'000}), second = torch::ones({250'000});
        const auto other = rank.comm.split({Rank{0}, Rank{1}});
        Pending chain =
            rank.comm.allReduce(first, Reduce::Sum).then([&] { return other->allReduce(second, Reduce::Sum); });
        // A step of a second: the chain does not wait for its end.
        rank.simulatedTime.charge(SpanKind::Forward, 0);
        chain.wait();
        const double each = ringAllReduceSeconds(kGigabit, 1e6, 2);
        EXPECT_NEAR(seconds(chain.interval()->start), each, 1e-6);
        EXPECT_NEAR(seconds(chain.interval()->end), 2 * each, 1e-6);
        EXPECT_EQ(rank.clock.now(), 1'000'000'000);
    });
}

// A chain whose first part was timed stays timed, even if the rank does untimed work when that part ends.
TEST(VirtualCommunicator, AChainStaysTimedDuringUntimedWork) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor first = torch::ones({250'000}), second = torch::ones({250'000});
        const auto other = rank.comm.split({Rank{0}, Rank{1}});
        Pending chain =
            rank.comm.allReduce(first, Reduce::Sum).then([&] { return other->allReduce(second, Reduce::Sum); });
        rank.simulatedTime.setUntimed(true);
        rank.clock.sleepUntil(100'000'000);
        rank.simulatedTime.setUntimed(false);
        chain.wait();
        EXPECT_NEAR(seconds(chain.interval()->end), 2 * ringAllReduceSeconds(kGigabit, 1e6, 2), 1e-6);
    });
}

TEST(VirtualCommunicator, MessagesFindTheirTag) {
    onVirtualCluster("star", gigabit(), {.ranks = 2}, [&](VirtualRank& rank) {
        at::Tensor first = torch::full({4}, 1.0), second = torch::full({4}, 2.0);
        if (rank.comm.rank() == Rank{0}) {
            Pending one = rank.comm.send(first, Rank{1}, 7);
            Pending two = rank.comm.send(second, Rank{1}, 8);
            one.wait();
            two.wait();
            return;
        }
        at::Tensor of8 = torch::zeros({4}), of7 = torch::zeros({4});
        Pending two = rank.comm.receive(of8, Rank{0}, 8);
        Pending one = rank.comm.receive(of7, Rank{0}, 7);
        two.wait();
        one.wait();
        EXPECT_EQ(of8[0].item<float>(), 2);
        EXPECT_EQ(of7[0].item<float>(), 1);
    });
}

TEST(VirtualCommunicator, CountsWhatARingSends) {
    onVirtualCluster("star", gigabit(), {.ranks = 4}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({1000}), all = torch::empty({4, 1000});
        Pending reduced = rank.comm.allReduce(tensor, Reduce::Sum);
        reduced.wait();
        EXPECT_EQ(rank.comm.bytesSent(), 2 * 4000 * 3 / 4);
        Pending gathered = rank.comm.allGather(tensor, all);
        gathered.wait();
        EXPECT_EQ(rank.comm.bytesSent(), 2 * 4000 * 3 / 4 + 4000 * 3);
        EXPECT_EQ(all[3][999].item<float>(), 4);
        EXPECT_EQ(gathered.collective(), 2U);
    });
}

// Bytes that each rank sends in one `collective`, in units of the tensor's 4,800 bytes.
std::vector<double> sentIn(int ranks, const NetworkParams& network,
                           const std::function<Pending(Communicator& comm, at::Tensor& tensor)>& collective) {
    std::vector<double> sent(static_cast<std::size_t>(ranks));
    onVirtualCluster("star", gigabit(), {.ranks = ranks, .network = network}, [&](VirtualRank& rank) {
        at::Tensor tensor = torch::ones({1200});
        for (int times = 0; times < 2; ++times) {
            Pending pending = collective(rank.comm, tensor);
            pending.wait();
        }
        sent[static_cast<std::size_t>(rank.comm.rank().value())] =
            static_cast<double>(rank.comm.bytesSent()) / 2 / 4800;
    });
    return sent;
}

using ::testing::ElementsAre;

struct Sent {
    NetworkParams network;
    std::vector<double> all;
};

class AllReduceOfFour : public ::testing::TestWithParam<Sent> {};

TEST_P(AllReduceOfFour, CountsWhatEachRankSends) {
    const auto reduce = [](Communicator& comm, at::Tensor& tensor) { return comm.allReduce(tensor, Reduce::Max); };
    EXPECT_EQ(sentIn(4, GetParam().network, reduce), GetParam().all);
}

INSTANTIATE_TEST_SUITE_P(Methods, AllReduceOfFour,
                         ::testing::Values(Sent{{.collective = "ring"}, {1.5, 1.5, 1.5, 1.5}},
                                           Sent{{.collective = "halving-doubling"}, {1.5, 1.5, 1.5, 1.5}},
                                           Sent{{.collective = "recursive-doubling"}, {2, 2, 2, 2}},
                                           // Each rank but the root sends up one edge; down the root sends twice, and
                                           // the other inner rank once.
                                           Sent{{.collective = "tree"}, {2, 1, 2, 1}},
                                           Sent{{.collective = "hierarchical", .groupSize = 2}, {1.5, 1.5, 1.5, 1.5}},
                                           Sent{{.collective = "parameter-server"}, {3, 1, 1, 1}},
                                           // A holder gives the other its half, and three their pulls of its own.
                                           Sent{{.collective = "parameter-server", .servers = 2}, {2, 2, 1, 1}},
                                           Sent{{.fidelity = "formula", .collective = "tree"}, {2, 1, 2, 1}},
                                           Sent{{.fidelity = "formula", .collective = "authors-tree"}, {4, 4, 4, 4}},
                                           Sent{{.fidelity = "formula", .collective = "authors-one-to-all"},
                                                {6, 6, 6, 6}}));

TEST(VirtualCommunicator, CountsWhatTheTreeOfABroadcastSends) {
    const auto fromTwo = [](Communicator& comm, at::Tensor& tensor) { return comm.broadcast(tensor, Rank{2}); };
    // Rank 2 to ranks 0 and 3, and rank 0 to rank 1.
    EXPECT_THAT(sentIn(4, {}, fromTwo), ElementsAre(1, 0, 2, 0));
}

TEST(VirtualCommunicator, CountsEverySizeByItself) {
    NetworkParams tree;
    tree.collective = "tree";
    onVirtualCluster("star", gigabit(), {.ranks = 2, .network = tree}, [&](VirtualRank& rank) {
        for (const std::int64_t elements : {10, 1000, 10}) {
            at::Tensor tensor = torch::ones({elements});
            Pending pending = rank.comm.allReduce(tensor, Reduce::Sum);
            pending.wait();
        }
        EXPECT_EQ(rank.comm.bytesSent(), 4 * 1020);
    });
}

}  // namespace
}  // namespace dasgd::test
