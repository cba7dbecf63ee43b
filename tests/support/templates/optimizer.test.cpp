#include <gtest/gtest.h>

#include "tests/support/optimizers.h"

namespace dasgd::test {
namespace {

TEST(ExtraOptimizer, HasItsOwnRate) { EXPECT_EQ(createOptimizer("extra_optimizer", {})->learningRate(), 0.1); }

}  // namespace
}  // namespace dasgd::test
