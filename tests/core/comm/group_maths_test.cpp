#include "core/comm/group_maths.h"

#include <gmock/gmock.h>
#include <torch/types.h>

namespace dasgd {
namespace {

std::vector<std::optional<Contribution>> group(const std::vector<at::Tensor>& tensors) {
    std::vector<std::optional<Contribution>> arrivals;
    for (const at::Tensor& tensor : tensors) arrivals.push_back(Contribution{tensor, tensor});
    return arrivals;
}

TEST(GroupMaths, ReducesInPlace) {
    const auto values = [] {
        return std::vector{torch::tensor({1.0, 5.0}), torch::tensor({2.0, 4.0}), torch::tensor({6.0, 0.0})};
    };
    const auto after = [&](Reduce op) {
        auto tensors = values();
        auto arrivals = group(tensors);
        carryOut(CollectiveKind::AllReduce, op, Rank{0}, arrivals);
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
    auto arrivals = group(tensors);
    carryOut(CollectiveKind::AllReduce, Reduce::Mean, Rank{0}, arrivals);
    EXPECT_TRUE(tensors[5].equal(torch::full({3}, 0.1F)));
}

TEST(GroupMaths, BroadcastsAndGathers) {
    std::vector<at::Tensor> tensors{torch::zeros({2}), torch::ones({2}), torch::full({2}, 2)};
    auto arrivals = group(tensors);
    carryOut(CollectiveKind::Broadcast, Reduce::Sum, Rank{1}, arrivals);
    for (const at::Tensor& tensor : tensors) EXPECT_TRUE(tensor.equal(torch::ones({2})));

    std::vector<std::optional<Contribution>> gathering;
    std::vector<at::Tensor> outs;
    for (int rank = 0; rank < 3; ++rank) {
        outs.push_back(torch::empty({3, 2}));
        gathering.push_back(Contribution{torch::full({2}, rank), outs.back()});
    }
    carryOut(CollectiveKind::AllGather, Reduce::Sum, Rank{0}, gathering);
    for (const at::Tensor& out : outs) {
        for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(out[rank][1].item<float>(), static_cast<float>(rank));
    }
}

TEST(GroupMaths, NamesWhatFails) {
    EXPECT_EQ(labelOf(Rank{2}, CollectiveKind::AllGather, 17, torch::ones({3})), "rank 2: all_gather #17 (12 bytes)");
}

}  // namespace
}  // namespace dasgd
