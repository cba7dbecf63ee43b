#include "core/sim/compute/layer_work.h"

#include <gmock/gmock.h>

namespace dasgd {
namespace {

using ::testing::ElementsAre;

TEST(LayerWork, AddsUpBothPasses) {
    const LayerWork work{.forward = {2, 0, 4}, .backward = {2, 0, 8}};
    EXPECT_EQ(work.forwardFlops(), 6);
    EXPECT_EQ(work.flops(), 16);
}

TEST(LayerWork, SharesByWorkAndWithoutAnyByElements) {
    EXPECT_THAT(sharesOf({2, 0, 8}, {100, 1, 1}), ElementsAre(0.2, 0, 0.8));
    EXPECT_THAT(sharesOf({0, 0}, {30, 10}), ElementsAre(0.75, 0.25));
}

}  // namespace
}  // namespace dasgd
