#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/datasets/dataset.h"

namespace dasgd::test {
namespace {

TEST(ExtraData, HasSixtyFourSamples) {
    const auto data = DatasetRegistry::find("extra_dataset")->create(Value(), {}).value();
    const auto splits = data->load({.shape = {3}, .classes = 2});
    ASSERT_TRUE(splits);
    EXPECT_EQ(splits->train.inputs.size(0), 64);
}

}  // namespace
}  // namespace dasgd::test
