#include "core/datasets/sampling/epoch_order.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <numeric>
#include <vector>

namespace dasgd {
namespace {

using ::testing::ElementsAre;

std::vector<std::int64_t> listOf(const at::Tensor& tensor) {
    const at::Tensor whole = tensor.contiguous();
    const auto* data = whole.const_data_ptr<std::int64_t>();
    return {data, data + whole.numel()};
}

// The lists of torch/utils/data/distributed.py, DistributedSampler.__iter__, step by step.
std::vector<std::int64_t> torchShare(std::vector<std::int64_t> indices, int rank, int workers, bool dropLast) {
    const auto replicas = static_cast<std::size_t>(workers);
    const std::size_t share = dropLast ? indices.size() / replicas : (indices.size() + replicas - 1) / replicas;
    const std::vector<std::int64_t> padding = indices;
    for (std::size_t i = 0; indices.size() < share * replicas; ++i) indices.push_back(padding[i % padding.size()]);
    indices.resize(share * replicas);
    std::vector<std::int64_t> own;
    for (auto i = static_cast<std::size_t>(rank); i < indices.size(); i += replicas) own.push_back(indices[i]);
    return own;
}

TEST(EpochOrder, DealsOutAsDistributedSamplerDoes) {
    for (const std::int64_t samples : {7, 8, 9, 100}) {
        EpochOrder order(samples, true, 3);
        const at::Tensor all = order.of(0);
        for (const int workers : {1, 2, 4, 7}) {
            for (const bool dropLast : {false, true}) {
                for (int rank = 0; rank < workers; ++rank) {
                    EXPECT_EQ(listOf(shareOf(all, Rank{rank}, workers, dropLast)),
                              torchShare(listOf(all), rank, workers, dropLast))
                        << samples << " samples, rank " << rank << " of " << workers;
                }
            }
        }
    }
}

TEST(EpochOrder, IsOnePermutationOfAllSamplesFromSeedAndEpoch) {
    EpochOrder order(50, true, 3);
    std::vector<std::int64_t> first = listOf(order.of(0));
    const std::vector<std::int64_t> second = listOf(order.of(1));
    EXPECT_NE(first, second);
    EXPECT_EQ(listOf(order.of(0)), first) << "of an epoch that another rank is beyond";
    EXPECT_NE(listOf(EpochOrder(50, true, 4).of(0)), first);
    // With PyTorch's seeding, the second epoch of run seed 3 would equal the first epoch of run seed 4.
    EXPECT_NE(listOf(EpochOrder(50, true, 4).of(0)), second);
    std::vector<std::int64_t> all(50);
    std::iota(all.begin(), all.end(), 0);
    EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), all.begin(), all.end()));
}

TEST(EpochOrder, WithoutShufflingStaysAsItIs) {
    EpochOrder order(5, false, 3);
    EXPECT_THAT(listOf(order.of(7)), ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(listOf(shareOf(order.of(7), Rank{1}, 3, false)), ElementsAre(1, 4));
    EXPECT_THAT(listOf(shareOf(order.of(7), Rank{2}, 3, false)), ElementsAre(2, 0)) << "filled up from the front";
    EXPECT_THAT(listOf(shareOf(order.of(7), Rank{2}, 3, true)), ElementsAre(2));
}

}  // namespace
}  // namespace dasgd
