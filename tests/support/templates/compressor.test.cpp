#include <gtest/gtest.h>

#include "tests/support/compressor_trials.h"

namespace dasgd::test {
namespace {

TEST(ExtraCompressor, KeepsFifteenBitsOfAFraction) {
    const auto made = compressorOf("extra_compressor");
    const at::Tensor x = at::full({2}, 1 + 0x1p-15);
    EXPECT_TRUE(through(*made, x).equal(x));
    EXPECT_TRUE(through(*made, at::full({2}, 1 + 0x1p-16)).equal(at::ones({2})));
    EXPECT_EQ(made->messageBytes(7, 8), 21);
}

}  // namespace
}  // namespace dasgd::test
