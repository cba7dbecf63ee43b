#include <gtest/gtest.h>

#include "tests/support/model_trials.h"
#include "tests/support/sim/networks.h"

namespace dasgd::test {
namespace {

TEST(ExtraModel, IsOneLayer) {
    EXPECT_EQ(parameterCount(*buildModel("extra_model", {.shape = {6}, .classes = 4})), 6 * 4 + 4);
}

const ModelTrial::Add kExtraTrial{{.model = "extra_model", .input = {.shape = {6}, .classes = 4}}};

}  // namespace
}  // namespace dasgd::test
