// The contract of core/comm/communicator.h by the NCCL communicator, over a stand-in for NCCL and for the device: it
// shows that what lies above them is right, and nothing of NCCL or of a GPU.
#include "core/comm/nccl/nccl.h"

#include "tests/support/comm/communicator_behaviour.h"
#include "tests/support/nccl/nccl_ranks.h"

namespace dasgd::test {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

INSTANTIATE_TEST_SUITE_P(StandIn, CommunicatorContract, contractOf({standInNcclBackend()}), contractName);
INSTANTIATE_TEST_SUITE_P(StandIn, CommunicatorBehaviour, testing::Values(standInNcclBackend()), behaviourName);

// The whole communicator is aborted: what else is open fails with the reason, and so does what comes later.
TEST(Nccl, ALateRankFailsWhatIsOpenAndWhatComesLater) {
    std::array<std::string, 3> heard;
    std::atomic<bool> over = false;
    runNcclRanks(
        2,
        [&](Communicator& comm, Clock& clock, StandInRank&) {
            if (comm.rank() == Rank{1}) return pollUntil(clock, [&] { return over.load(); });
            at::Tensor first = torch::ones({10}), second = torch::ones({10}), third = torch::ones({10});
            Pending one = comm.allReduce(first, Reduce::Sum);
            Pending two = comm.broadcast(second, Rank{0});
            heard[0] = errorOf([&] { one.wait(); });
            heard[1] = errorOf([&] { two.wait(); });
            Pending three = comm.allReduce(third, Reduce::Sum);
            heard[2] = errorOf([&] { three.wait(); });
            over = true;
        },
        milliseconds(300));
    const std::string reason = "rank 0: all_reduce #1 (40 bytes) did not end within 300 ms";
    EXPECT_THAT(heard[0], HasSubstr("rank 0: all_reduce #1 (40 bytes) failed: " + reason));
    EXPECT_THAT(heard[1], HasSubstr("rank 0: broadcast #2 (40 bytes) failed: " + reason));
    EXPECT_THAT(heard[2], HasSubstr("rank 0: all_reduce #3 (40 bytes) failed: " + reason));
}

TEST(Nccl, ARankThatLeavesIsReportedLongBeforeTheDeadline) {
    std::string heard;
    runNcclRanks(
        2,
        [&](Communicator& comm, Clock&, StandInRank&) {
            if (comm.rank() == Rank{1}) return;
            at::Tensor tensor = torch::ones({10});
            Pending pending = comm.allReduce(tensor, Reduce::Sum);
            heard = errorOf([&] { pending.wait(); });
        },
        milliseconds(50'000));
    EXPECT_THAT(heard, HasSubstr("rank 0: all_reduce #1 (40 bytes) failed: NCCL: remote process exited"));
}

TEST(Nccl, ATypeThatItHasNotIsRefusedByName) {
    runNcclRanks(
        2,
        [&](Communicator& comm, Clock&, StandInRank&) {
            at::Tensor complex = torch::ones({2}, torch::kComplexFloat);
            EXPECT_THAT(errorOf([&] { static_cast<void>(comm.allReduce(complex, Reduce::Sum)); }),
                        HasSubstr("NCCL has no type for tensors of ComplexFloat"));
        },
        milliseconds(20'000));
}

TEST(Nccl, RanksThatDoNotComeAreAnErrorOfConnecting) {
    MonotonicClock clock;
    StandInRank rank(clock);
    const TempDir folder;
    ThreadsGroup control(2, milliseconds(300), clock);
    const auto meeting = Rendezvous::file(folder.path() / "store", 2, milliseconds(300));
    ASSERT_TRUE(meeting);
    const auto made =
        makeNccl(*meeting, {.rank = Rank{0}, .size = 2, .timeout = milliseconds(300)},
                 {.nccl = rank.api, .device = rank.device, .times = rank.times}, control.communicator(Rank{0}), clock);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().message, "rank 0: the 2 ranks did not connect within 300 ms");
}

}  // namespace
}  // namespace dasgd::test
