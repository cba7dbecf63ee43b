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

class NcclExchange : public testing::TestWithParam<int> {
protected:
    // Messages of one element to the next rank and of two to the one before.
    struct Neighbours {
        explicit Neighbours(Communicator& comm)
            : next((comm.rank().value() + 1) % comm.size()),
              before((comm.rank().value() + comm.size() - 1) % comm.size()),
              ahead(torch::full({1}, comm.rank().value(), torch::kFloat)),
              back(torch::full({2}, comm.rank().value(), torch::kFloat)) {}
        [[nodiscard]] std::vector<Pending> exchange(Communicator& comm) {
            return comm.exchange({{.peer = before, .tensor = fromBefore},
                                  {.sends = true, .peer = next, .tensor = ahead},
                                  {.sends = true, .peer = before, .tensor = back},
                                  {.peer = next, .tensor = fromNext}});
        }
        Rank next, before;
        at::Tensor ahead, back, fromBefore = torch::zeros({1}), fromNext = torch::zeros({2});
    };
};

TEST_P(NcclExchange, IsOneOperationOfTheStream) {
    runNcclRanks(
        GetParam(),
        [&](Communicator& comm, Clock&, StandInRank&) {
            Neighbours own(comm);
            std::vector<Pending> pending = own.exchange(comm);
            ASSERT_EQ(pending.size(), 1U);
            pending[0].wait();
            EXPECT_EQ(own.fromBefore[0].item<int>(), own.before.value());
            EXPECT_EQ(own.fromNext[1].item<int>(), own.next.value());
            EXPECT_TRUE(pending[0].interval());
            EXPECT_EQ(pending[0].source(), std::nullopt);
            EXPECT_FALSE(pending[0].cancel());
        },
        milliseconds(20'000));
}

// The exchanges are in a group; the first of its ranks does not come to the second one.
TEST_P(NcclExchange, FailsAtItsDeadlineWhereAPeerIsMissing) {
    const int ranks = GetParam();
    std::vector<Rank> members;
    for (int r = ranks - 1; r >= 0; --r) members.emplace_back(r);
    std::vector<std::string> heard(static_cast<std::size_t>(ranks));
    std::atomic<int> over = 0;
    runNcclRanks(
        ranks,
        [&](Communicator& comm, Clock& clock, StandInRank&) {
            const auto group = comm.split(members);
            const int rank = group->rank().value();
            Neighbours own(*group);
            for (Pending& pending : own.exchange(*group)) pending.wait();
            if (rank == 0) return pollUntil(clock, [&] { return over == ranks - 1; });
            std::vector<Pending> pending = own.exchange(*group);
            heard.at(static_cast<std::size_t>(rank)) = errorOf([&] { pending[0].wait(); });
            EXPECT_THAT(errorOf([&] { own.exchange(*group)[0].wait(); }), HasSubstr("exchange #3"))
                << "later ones fail at once";
            ++over;
        },
        milliseconds(300));
    const std::string peers = ranks == 2 ? "rank 0" : "ranks 0,2";
    EXPECT_THAT(heard[1],
                testing::ContainsRegex("rank 1 of ranks [0-9,]+: exchange #2 with " + peers + " .12 bytes. failed: "));
    // The rank whose deadline comes first aborts, and the others may hear of that before their own deadline.
    EXPECT_THAT(heard, testing::Contains(testing::ContainsRegex("exchange #2 .* did not end within 300 ms")));
}

TEST_P(NcclExchange, FailsWithTheReasonThatNcclGives) {
    std::string heard;
    runNcclRanks(
        GetParam(),
        [&](Communicator& comm, Clock&, StandInRank&) {
            Neighbours own(comm);
            if (comm.rank() == Rank{0}) own.ahead = torch::zeros({3});
            std::vector<Pending> pending = own.exchange(comm);
            const std::string error = errorOf([&] { pending[0].wait(); });
            if (comm.rank() == Rank{1}) heard = error;
        },
        milliseconds(20'000));
    const std::string peers = GetParam() == 2 ? "rank 0" : "ranks 0,2";
    EXPECT_THAT(heard, HasSubstr("rank 1: exchange #1 with " + peers + " (12 bytes) failed: NCCL: invalid argument"));
}

INSTANTIATE_TEST_SUITE_P(Ranks, NcclExchange, testing::Values(2, 3, 4));

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
