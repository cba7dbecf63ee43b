#include "core/train/device/captured_update.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/optimizers/clipped_optimizer.h"
#include "tests/support/document.h"
#include "tests/support/gpu/host_device.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Fifteen weights and three biases with padding between them, on the accelerator.
class SmallNetwork {
public:
    explicit SmallNetwork(at::ScalarType type = at::kFloat) : params_(*net_, type, layoutOn(kAccelerator)) {
        const at::NoGradGuard guard;
        for (const FlatParams::Slot& slot : params_.slots()) {
            at::Tensor(slot.parameter).copy_(asDevice(torch::linspace(-1, 2, slot.numel).view(slot.parameter.sizes())));
        }
    }
    // Gradients that differ from step to step, the same for every network.
    void setGradients(std::int64_t step) {
        const at::NoGradGuard guard;
        for (const FlatParams::Slot& slot : params_.slots()) {
            const at::Tensor host = torch::sin(torch::arange(slot.numel, at::kFloat) + static_cast<double>(3 * step));
            at::Tensor(slot.parameter).mutable_grad().copy_(asDevice(host.view(slot.parameter.sizes())));
        }
    }
    [[nodiscard]] FlatParams& params() { return params_; }

private:
    torch::nn::Linear net_{5, 3};
    FlatParams params_;
};

struct Setting {
    std::string name, optimizer;
    Fields fields;
    double clip = 0;
};

std::unique_ptr<Optimizer> makeOptimizer(const Setting& setting) {
    auto optimizer = OptimizerRegistry::find(setting.optimizer)->create(table(setting.fields), {}).value();
    return setting.clip > 0 ? clipped(std::move(optimizer), setting.clip) : std::move(optimizer);
}

constexpr std::int64_t kUpdates = 9, kFirstCaptured = 4;
// Numbers of 24 bits, as a captured step rounds it.
double rateOf(std::int64_t step) { return 0.03125 * static_cast<double>(1 + step % 3); }

struct Outcome {
    at::Tensor weights;
    std::vector<at::Tensor> state;
    std::vector<std::string> notes;
    int captured = 0, replayed = 0;
};

// `resetAfter` a step the optimiser begins anew, as at an algorithm's merge; 0: it does not.
Outcome updated(const Setting& setting, HostDevice::Capture capture, std::int64_t resetAfter = 0,
                at::ScalarType type = at::kFloat) {
    HostDevice device(capture);
    SmallNetwork network(type);
    const auto optimizer = makeOptimizer(setting);
    Outcome run;
    {
        CapturedUpdate update(device, *optimizer, setting.optimizer, network.params(),
                              [&](const std::string& why) { run.notes.push_back(why); });
        for (std::int64_t step = 1; step <= kUpdates; ++step) {
            network.setGradients(step);
            const at::NoGradGuard guard;
            update.step(rateOf(step), step >= kFirstCaptured);
            if (step == resetAfter) optimizer->reset();
        }
    }
    run.weights = asHost(network.params().weights()).clone();
    for (const at::Tensor& state : optimizer->state()) run.state.push_back(asHost(state).clone());
    run.captured = device.captured();
    run.replayed = device.replayed();
    return run;
}

// Updates by the optimiser's own steps.
Outcome steppedPlainly(const Setting& setting, std::int64_t resetAfter = 0, at::ScalarType type = at::kFloat) {
    SmallNetwork network(type);
    const auto optimizer = makeOptimizer(setting);
    for (std::int64_t step = 1; step <= kUpdates; ++step) {
        network.setGradients(step);
        optimizer->step(network.params(), rateOf(step));
        if (step == resetAfter) optimizer->reset();
    }
    Outcome run{.weights = asHost(network.params().weights()).clone()};
    for (const at::Tensor& state : optimizer->state()) run.state.push_back(asHost(state).clone());
    return run;
}

void expectSameBits(const Outcome& got, const Outcome& wanted) {
    EXPECT_TRUE(got.weights.equal(wanted.weights)) << (got.weights - wanted.weights).abs().max();
    ASSERT_EQ(got.state.size(), wanted.state.size());
    for (std::size_t i = 0; i < got.state.size(); ++i) EXPECT_TRUE(got.state[i].equal(wanted.state[i])) << i;
}

class Captured : public ::testing::TestWithParam<Setting> {};

TEST_P(Captured, ReplaysTakeTheOptimisersOwnWay) {
    const Outcome run = updated(GetParam(), HostDevice::Capture::Records);
    expectSameBits(run, steppedPlainly(GetParam()));
    EXPECT_EQ(run.captured, 1);
    EXPECT_EQ(run.replayed, kUpdates - kFirstCaptured + 1);
    EXPECT_THAT(run.notes, IsEmpty());
}

TEST_P(Captured, AStepAfterAResetIsTheOptimisersAndReplaysGoOn) {
    for (const std::int64_t reset : {2, 3, 6}) {
        SCOPED_TRACE("reset after step " + std::to_string(reset));
        const Outcome run = updated(GetParam(), HostDevice::Capture::Records, reset);
        expectSameBits(run, steppedPlainly(GetParam(), reset));
        EXPECT_EQ(run.captured, 1);
        EXPECT_EQ(run.replayed, kUpdates - kFirstCaptured + (reset == 2 ? 1 : 0));
    }
}

TEST_P(Captured, WhatIsRefusedIsToldOnceAndMadeByTheOptimiser) {
    const Outcome run = updated(GetParam(), HostDevice::Capture::Refuses);
    expectSameBits(run, steppedPlainly(GetParam()));
    ASSERT_THAT(run.notes, SizeIs(1));
    EXPECT_THAT(run.notes[0], HasSubstr("leaves the update out: it cannot be captured (operation not permitted"));
}

INSTANTIATE_TEST_SUITE_P(
    Optimizers, Captured,
    ::testing::Values(Setting{"plain", "sgd", {{"momentum", number(0)}}},
                      Setting{"nesterov",
                              "sgd",
                              {{"momentum", number(0.9)}, {"nesterov", boolean(true)}, {"weight_decay", number(0.01)}}},
                      Setting{"dampened", "sgd", {{"momentum", number(0.5)}, {"dampening", number(0.25)}}},
                      Setting{"groups", "sgd", {{"weight_decay", number(0.1)}, {"no_decay", text("bias-norm")}}},
                      Setting{"clipped", "sgd", {}, 0.5}, Setting{"adam", "adam", {{"weight_decay", number(0.01)}}},
                      Setting{"adamw", "adamw", {}}, Setting{"without_epsilon", "adamw", {{"epsilon", number(0)}}, 1}),
    [](const auto& info) { return info.param.name; });

TEST(CapturedUpdate, LayerwiseOptimisersSayWhyTheyAreNot) {
    for (const double clip : {0.0, 0.5}) {
        for (const char* optimizer : {"lars", "lamb", "muon"}) {
            const Setting setting{optimizer, optimizer, {}, clip};
            const Outcome run = updated(setting, HostDevice::Capture::Records);
            expectSameBits(run, steppedPlainly(setting));
            EXPECT_EQ(run.captured, 0);
            ASSERT_THAT(run.notes, SizeIs(1));
            EXPECT_THAT(run.notes[0], HasSubstr("the optimiser '" + std::string(optimizer) + "'"));
        }
    }
}

// 24 bits of a learning rate would show in weights of float64.
TEST(CapturedUpdate, WeightsOfFloat64KeepTheirRate) {
    const Setting setting{"sgd", "sgd", {}};
    const Outcome run = updated(setting, HostDevice::Capture::Records, 0, at::kDouble);
    expectSameBits(run, steppedPlainly(setting, 0, at::kDouble));
    EXPECT_EQ(run.captured, 0);
    ASSERT_THAT(run.notes, SizeIs(1));
    EXPECT_THAT(run.notes[0], HasSubstr("float64"));
}

}  // namespace
}  // namespace dasgd::test
