#include "core/cost/memory/sizing.h"

#include <gmock/gmock.h>

namespace dasgd {
namespace {

TEST(Sizing, HybridLayerByHand) {
    // 4096 → 1024 on 16 nodes, minibatch 256, 4 groups: 8·4096·256/4 + 8·4096·1024·4/16.
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 0), 2'097'152 + 8'388'608);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 4, 16, 1), 2'097'152 + 4'194'304);
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 1, 16, 0), 8.0 * 4096 * 256) << "model parallel: no weights";
    EXPECT_DOUBLE_EQ(hybridBytes(4096, 1024, 256, 16, 16, 0), 8.0 * 4096 * 1024) << "data parallel: no activations";
}

}  // namespace
}  // namespace dasgd
