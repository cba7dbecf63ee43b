// Computation of a network for one sample, as the papers and torchvision give it.
#pragma once

#include <numeric>
#include <vector>

#include "core/train/data/count_flops.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {

// Shape and classes of the samples on which ImageNet's papers train.
inline const InputSpec kPhotos{.shape = {3, 224, 224}, .classes = 1000};

// Multiply-adds of the forward pass on one sample, in units of 1e9.
inline double gigaMultiplyAdds(Model& model, const InputSpec& input) {
    return countFlops(model, randomBatch(input, 1), 1).forwardFlops() / 2e9;
}

// Sums of so many neighbours each; the counts must be used up.
inline std::vector<std::int64_t> groupSums(const std::vector<std::int64_t>& counts,
                                           const std::vector<std::ptrdiff_t>& sizes) {
    std::vector<std::int64_t> sums;
    auto first = counts.begin();
    for (const std::ptrdiff_t size : sizes) {
        EXPECT_LE(size, counts.end() - first);
        if (size > counts.end() - first) return sums;
        sums.push_back(std::accumulate(first, first + size, std::int64_t{0}));
        first += size;
    }
    EXPECT_EQ(first, counts.end());
    return sums;
}

}  // namespace dasgd::test
