// Every optimiser on the stand-in accelerator.
#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

#include "core/optimizers/optimizer.h"
#include "tests/support/gpu/host_device.h"
#include "tests/support/optimizers.h"

namespace dasgd::test {
namespace {

// The fields of `wanted` that the optimiser has.
Value fieldsThatFit(const std::string& optimizer, Fields wanted) {
    const auto& known = OptimizerRegistry::find(optimizer)->fields;
    std::erase_if(wanted, [&](const auto& field) {
        return std::ranges::find(known, field.first, &FieldInfo::name) == known.end();
    });
    return table(std::move(wanted));
}

// Every optimiser on padded slots: parameters as on packed ones, padding 0, no wait.
class EveryOptimizerOnADevice : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryOptimizerOnADevice, StepsPaddedSlotsOnADevice) {
    for (const char* noDecay : {"none", "bias-norm"}) {
        const Value fields = fieldsThatFit(GetParam(), {{"no_decay", text(noDecay)}, {"weight_decay", number(0.1)}});
        const auto one = createOptimizer(GetParam(), fields), two = createOptimizer(GetParam(), fields);
        const auto here = optimizedNetwork(), there = optimizedNetwork();
        FlatParams ours(here->module(), at::kDouble), theirs(there->module(), at::kDouble, layoutOn(kAccelerator));
        ASSERT_GT(theirs.size(), theirs.parameters());
        for (int step = 0; step < 5; ++step) {
            const Batch batch = randomBatch(kOptimizerInput, 8, at::kDouble);
            ours.gradients().zero_();
            here->loss(batch).backward();
            one->step(ours, 0.05);
            theirs.gradients().zero_();
            there->loss({batch.inputs.to(kAccelerator), batch.targets.to(kAccelerator)}).backward();
            (void)HostWaits::take();
            two->step(theirs, 0.05);
            EXPECT_THAT(HostWaits::take(), ::testing::IsEmpty());
        }
        EXPECT_TRUE(torch::allclose(asHost(theirs.withoutPadding(theirs.weights())), ours.weights(), 1e-12, 1e-14));
        const at::Tensor before = theirs.weights().clone();
        theirs.clearPadding(theirs.weights());
        EXPECT_TRUE(asHost(before).equal(asHost(theirs.weights()))) << "padding is 0";
        for (const at::Tensor& state : two->state()) EXPECT_EQ(state.device(), kAccelerator);
    }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryOptimizerOnADevice, ::testing::ValuesIn(OptimizerRegistry::names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
