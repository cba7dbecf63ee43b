// The contract of core/comm/communicator.h, by every communicator between real ranks.
#include "core/comm/communicator.h"

#include "tests/support/comm/communicator_behaviour.h"
#include "tests/support/comm/contract_backends.h"

namespace dasgd::test {
namespace {

INSTANTIATE_TEST_SUITE_P(Real, CommunicatorContract, contractOf(realBackends(1e-4)), contractName);
// The link is so slow that operations in turn can be told from operations at once on a busy machine.
INSTANTIATE_TEST_SUITE_P(Real, CommunicatorBehaviour, testing::ValuesIn(realBackends(0.3)), behaviourName);

TEST(Communicator, DescribesOperationsAndRanksForErrors) {
    const CollectiveCall call{.kind = CollectiveKind::ReduceScatter, .in = torch::ones({8}), .out = torch::ones({2})};
    EXPECT_EQ(describe(call, (std::uint64_t{7} << 32U) | 17), "reduce_scatter #17 (32 bytes)");
    EXPECT_EQ(describe(MessageCall{.sends = true, .peer = Rank{3}, .tag = 7, .tensor = call.in}),
              "send to rank 3, tag 7 (32 bytes)");
    EXPECT_EQ(describe(MessageCall{.tag = 7, .tensor = call.in}), "receive from any rank, tag 7 (32 bytes)");
    const MessageCall from{.peer = Rank{1}, .tensor = call.in};
    EXPECT_EQ(describe({from, {.sends = true, .peer = Rank{3}, .tensor = call.out}}, 17),
              "exchange #17 with ranks 1,3 (8 bytes)");
    EXPECT_EQ(describe({from, {.sends = true, .peer = Rank{1}, .tensor = call.in}}, 18),
              "exchange #18 with rank 1 (32 bytes)");
    EXPECT_EQ(Group::whole(Rank{2}, 4).nameOf(Rank{1}), "rank 1");
}

TEST(Communicator, NamesTheFirstMembersOfALargeGroup) {
    runRanks(Backend::Threads, 12, [](Communicator& comm, Clock&) {
        std::vector<Rank> ranks;
        for (int r = 11; r >= 0; --r) ranks.emplace_back(r);
        const auto reversed = comm.split(ranks);
        EXPECT_EQ(reversed->rank(), Rank{11 - comm.rank().value()});
        EXPECT_EQ(reversed->group().nameOf(Rank{0}), "rank 0 of ranks 11,10,9,8,7,6,5,4,… (12)");
        const auto pair = reversed->split({reversed->rank()});
        EXPECT_EQ(pair->group().members, std::vector{comm.rank()}) << "members are ranks of the run";
    });
}

}  // namespace
}  // namespace dasgd::test
