#include "core/comm/group_maths.h"

#include <gmock/gmock.h>
#include <torch/types.h>

namespace dasgd {
namespace {

using Arrivals = std::vector<std::optional<CollectiveCall>>;

Arrivals inPlace(CollectiveKind kind, Reduce op, const std::vector<at::Tensor>& tensors) {
    Arrivals arrivals;
    for (const at::Tensor& tensor : tensors) {
        arrivals.push_back(CollectiveCall{.kind = kind, .op = op, .root = Rank{1}, .in = tensor, .out = tensor});
    }
    return arrivals;
}

TEST(GroupMaths, ReducesInPlace) {
    const auto values = [] {
        return std::vector{torch::tensor({1.0, 5.0}), torch::tensor({2.0, 4.0}), torch::tensor({6.0, 0.0})};
    };
    const auto after = [&](Reduce op) {
        auto tensors = values();
        auto arrivals = inPlace(CollectiveKind::AllReduce, op, tensors);
        carryOut(arrivals);
        EXPECT_TRUE(tensors[0].equal(tensors[1]) && tensors[1].equal(tensors[2]));
        return tensors[2];
    };
    EXPECT_TRUE(after(Reduce::Sum).equal(torch::tensor({9.0, 9.0})));
    EXPECT_TRUE(after(Reduce::Mean).equal(torch::tensor({3.0, 3.0})));
    EXPECT_TRUE(after(Reduce::Max).equal(torch::tensor({6.0, 5.0})));
}

TEST(GroupMaths, KeepsEqualValuesForAPowerOfTwo) {
    std::vector<at::Tensor> tensors(8);
    for (at::Tensor& tensor : tensors) tensor = torch::full({3}, 0.1F);
    auto arrivals = inPlace(CollectiveKind::AllReduce, Reduce::Mean, tensors);
    carryOut(arrivals);
    EXPECT_TRUE(tensors[5].equal(torch::full({3}, 0.1F)));
}

TEST(GroupMaths, BroadcastsAndGathers) {
    std::vector<at::Tensor> tensors{torch::zeros({2}), torch::ones({2}), torch::full({2}, 2)};
    auto arrivals = inPlace(CollectiveKind::Broadcast, Reduce::Sum, tensors);
    carryOut(arrivals);
    for (const at::Tensor& tensor : tensors) EXPECT_TRUE(tensor.equal(torch::ones({2})));

    Arrivals gathering;
    for (int rank = 0; rank < 3; ++rank) {
        gathering.push_back(CollectiveCall{.kind = CollectiveKind::AllGather,
                                           .in = torch::full({2}, rank),
                                           .out = torch::empty({3, 2}, torch::kInt64)});
    }
    carryOut(gathering);
    for (const auto& each : gathering) {
        for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(each->out[rank][1].item<std::int64_t>(), rank);
    }
}

TEST(GroupMaths, ReduceScatterGivesTheSameBitsAsAllReduce) {
    Arrivals whole, shares;
    for (int rank = 0; rank < 3; ++rank) {
        const at::Tensor values = torch::rand({3, 5}, torch::kFloat32);
        const at::Tensor copy = values.clone();
        whole.push_back(CollectiveCall{.kind = CollectiveKind::AllReduce, .in = copy, .out = copy});
        shares.push_back(CollectiveCall{.kind = CollectiveKind::ReduceScatter, .in = values, .out = torch::empty({5})});
    }
    carryOut(whole);
    carryOut(shares);
    for (int rank = 0; rank < 3; ++rank) EXPECT_TRUE(shares[rank]->out.equal(whole[0]->out[rank]));
}

TEST(GroupMaths, AMessageFitsItsReceiver) {
    at::Tensor in = torch::zeros({2, 2});
    copyMessage(torch::ones({4}), Rank{1}, in);
    EXPECT_TRUE(in.equal(torch::ones({2, 2})));
    EXPECT_THROW(copyMessage(torch::ones({1}), Rank{1}, in), CommError) << "no broadcasting";
    EXPECT_THROW(copyMessage(torch::ones({4}, torch::kInt32), Rank{1}, in), CommError);
}

TEST(GroupMaths, SaysWhatRanksOfAGroupLaunchedInOnePlace) {
    Group group = Group::whole(Rank{1}, 2);
    group.name = " of ranks 4,6";
    const CollectiveCall all{.kind = CollectiveKind::AllReduce, .op = Reduce::Max, .in = torch::ones({3})};
    CollectiveCall some{.kind = CollectiveKind::AllGatherV, .in = torch::ones({3}), .counts = {3, 1}};
    try {
        checkSame(group, (std::uint64_t{9} << 32U) + 2, Rank{0}, all, Rank{1}, some);
        FAIL();
    } catch (const CommError& error) {
        EXPECT_STREQ(error.what(),
                     "rank 1 of ranks 4,6: all_gather_v #2 (12 bytes) of 3,1 elements, but rank 0 of ranks 4,6: "
                     "all_reduce #2 (12 bytes), max; every rank must launch the same collectives in the same order");
    }
    CollectiveCall other = some;
    other.in = torch::ones({1});
    EXPECT_NO_THROW(checkSame(group, 2, Rank{0}, some, Rank{1}, other)) << "each gives its own share";
    other.counts = {2, 1};
    EXPECT_THROW(checkSame(group, 2, Rank{0}, some, Rank{1}, other), CommError);
}

}  // namespace
}  // namespace dasgd
