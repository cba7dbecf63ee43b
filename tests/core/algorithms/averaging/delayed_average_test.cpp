// The merge itself, one step at a time: which weights leave, when they come back, and that the mixer's word counts.
// Whole trajectories are dasgd_test's.
#include "core/algorithms/averaging/delayed_average.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/exec/cpu_executor.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

// A mixer that can be told from the mean, so that with one rank m = 2s.
Mixer doubled() {
    Mixer mixer = meanMixer();
    mixer.scale = [](int size) { return 2.0 / size; };
    return mixer;
}

// Weights after each of the steps: 10·k before the merge of step k, what the average makes of them after it.
std::vector<double> weightsOf(const DelayedAverageParams& values, std::int64_t steps) {
    std::vector<double> seen;
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        DelayedAverage average(values, doubled());
        const at::NoGradGuard guard;
        params.weights().fill_(1);
        average.start(context);
        for (std::int64_t k = 1; k <= steps; ++k) {
            params.weights().fill_(10.0 * static_cast<double>(k));
            context.moveTo(k, 0.1);
            average.afterStep(context);
            seen.push_back(params.weights()[0].item<double>());
        }
        average.drain(context);
        EXPECT_EQ(params.weights()[2].item<double>(), seen.back()) << "an average that is not due is dropped";
    });
    return seen;
}

TEST(DelayedAverage, MergesWhatLeftDelayStepsAgo) {
    // s = 20, m = 40, w = 30: ξ·w + (1 − ξ)·(m + c·(w − s)).
    EXPECT_EQ(weightsOf({.period = 2, .delay = 1, .localWeight = 0.25, .correction = 0}, 3),
              (std::vector<double>{10, 20, 0.25 * 30 + 0.75 * 40}));
    EXPECT_EQ(weightsOf({.period = 2, .delay = 1, .localWeight = 0.25, .correction = 0.5}, 3),
              (std::vector<double>{10, 20, 0.25 * 30 + 0.75 * (40 + 0.5 * 10)}));
    EXPECT_EQ(weightsOf({.period = 2, .delay = 1, .localWeight = 0, .correction = 1}, 3),
              (std::vector<double>{10, 20, 40 + 10}));
    EXPECT_EQ(weightsOf({.period = 2, .delay = 1, .localWeight = 0, .correction = 0}, 3),
              (std::vector<double>{10, 20, 40}));
}

TEST(DelayedAverage, MergesBeforeTheNextSnapshotLeaves) {
    // d = τ: at step 4 the average of step 2 is merged first (m = 40, w = 40), and the result leaves: s = 40, m = 80.
    EXPECT_EQ(weightsOf({.period = 2, .delay = 2, .localWeight = 0.5, .correction = 0}, 6),
              (std::vector<double>{10, 20, 30, 0.5 * 40 + 0.5 * 40, 50, 0.5 * 60 + 0.5 * 80}));
}

TEST(DelayedAverage, SnapshotsAtZeroAndAtAnOffset) {
    // The start is 1 everywhere, so m = 2 at step 2.
    EXPECT_EQ(weightsOf({.period = 4, .delay = 2, .localWeight = 0.5, .correction = 0, .snapshotAtZero = true}, 3),
              (std::vector<double>{10, 0.5 * 20 + 0.5 * 2, 30}));
    EXPECT_EQ(weightsOf({.period = 4, .delay = 1, .localWeight = 0, .correction = 0, .offset = 3}, 4),
              (std::vector<double>{10, 20, 30, 60}));
}

}  // namespace
}  // namespace dasgd::test
