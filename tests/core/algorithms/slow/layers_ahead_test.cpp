#include "core/algorithms/slow/layers_ahead.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "tests/support/optimizers.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

using Left = std::vector<std::pair<std::size_t, bool>>;  // layer, and whether it left inside the pass

// Two layers of two parameters each and one of one: 4 + 2, 6 + 3 and 5 elements, which leave in every second step.
Left leftIn(const std::vector<std::vector<std::size_t>>& gradientsOfSteps) {
    Left left;
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        FlatParams params = FlatParams::shapesOf({{2, 2}, {2}, {3, 2}, {3}, {5, 1}}, {}, at::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        const std::vector<Fragment> layers{{0, 6}, {6, 15}, {15, 20}};
        LayersAhead ahead;
        ahead.start(
            context, [&] { return context.step() % 2 == 1 ? &layers : nullptr; },
            [&](std::size_t layer, bool inPass) { left.emplace_back(layer, inPass); });
        for (std::size_t k = 0; k < gradientsOfSteps.size(); ++k) {
            context.moveTo(static_cast<std::int64_t>(k) + 1, 0.1);
            for (const std::size_t slot : gradientsOfSteps[k]) context.gradientFeed().ready(slot);
            ahead.finish(context);
        }
    });
    return left;
}

TEST(LayersAhead, LeaveWhenTheirLastGradientIsThere) {
    EXPECT_THAT(leftIn({{4, 3, 2, 1, 0}}), ElementsAre(std::pair(2, true), std::pair(1, true), std::pair(0, true)));
}

TEST(LayersAhead, LeaveInOneOrderWhateverThatOfTheGradients) {
    EXPECT_THAT(leftIn({{0, 1, 2, 3, 4}}), ElementsAre(std::pair(2, true), std::pair(1, true), std::pair(0, true)));
}

TEST(LayersAhead, LeaveAfterTheStepWhereAGradientIsMissing) {
    EXPECT_THAT(leftIn({{4, 3, 1, 0}}), ElementsAre(std::pair(2, true), std::pair(1, false), std::pair(0, false)));
    EXPECT_THAT(leftIn({{}}), ElementsAre(std::pair(2, false), std::pair(1, false), std::pair(0, false)));
}

TEST(LayersAhead, LeaveInTheStepsThatAskForThem) {
    EXPECT_THAT(leftIn({{}, {4, 3, 2, 1, 0}, {4}}),
                ElementsAre(std::pair(2, false), std::pair(1, false), std::pair(0, false), std::pair(2, true),
                            std::pair(1, false), std::pair(0, false)));
}

TEST(LayersAhead, HaveTheWeightsOfTheStepToCome) {
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear linear(2, 1);
        FlatParams params(*linear, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        const auto optimizer = createOptimizer("sgd", table({{"momentum", number(0.5)}}));
        StepContext context(comm, clock, params, executor, 1, {.optimizer = optimizer.get()});
        const at::NoGradGuard guard;
        params.weights().fill_(1);
        params.gradients().fill_(2);
        optimizer->step(params, 0.1);  // v = 2, w = 0.8
        context.moveTo(2, 0.1);
        params.gradients().fill_(3);
        const at::Tensor ahead = LayersAhead::weightsAhead(context, {0, 2});
        EXPECT_EQ(ahead.numel(), 2);
        EXPECT_NEAR(ahead[1].item<double>(), 0.8 - 0.1 * (0.5 * 2 + 3), 1e-15);
        EXPECT_NEAR(params.weights()[0].item<double>(), 0.8, 1e-15) << "nothing is stepped yet";
        optimizer->step(params, 0.1);
        EXPECT_NEAR(params.weights()[1].item<double>(), ahead[1].item<double>(), 1e-15);
    });
}

}  // namespace
}  // namespace dasgd::test
