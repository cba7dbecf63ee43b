// The merge itself, one step at a time: which weights leave, when they come back, and that the mixer's word counts.
// Whole trajectories are dasgd_test's.
#include "core/algorithms/averaging/delayed_average.h"

#include <gtest/gtest.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
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

// Receives 3 and 4 beside each snapshot.
Mixer inParts() {
    const auto received = std::make_shared<std::vector<at::Tensor>>();
    return {.scale = [](int) { return 1.0; },
            .start =
                [received](Communicator&, at::Tensor& snapshot) {
                    *received = {at::full_like(snapshot, 3), at::full_like(snapshot, 4)};
                    return std::vector<Pending>();
                },
            .received = received};
}

// The archive in the older format, which holds one tensor: the rank's own part plus the 3 and 4 it received.
Archive asOnceSaved(const Archive& archive) {
    Archive old;
    for (const auto& [name, tensor] : archive.tensors()) {
        if (name.starts_with("received")) continue;
        name == "mean" ? old.put("mean", tensor + 7) : old.put(name, tensor);
    }
    for (const auto& [name, number] : archive.integers()) {
        if (name != "received") old.put(name, number);
    }
    return old;
}

TEST(DelayedAverage, AddsUpAMeanThatArrivesInParts) {
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        const DelayedAverageParams values{.period = 2, .delay = 1, .localWeight = 0.25, .correction = 0.5};
        DelayedAverage average(values, inParts());
        const at::NoGradGuard guard;
        params.weights().fill_(20);
        context.moveTo(2, 0.1);
        average.afterStep(context);
        Archive saved;
        average.save(context, saved);
        DelayedAverage resumed(values, inParts()), resumedFromOld(values, inParts());
        ASSERT_TRUE(resumed.load(context, saved));
        ASSERT_TRUE(resumedFromOld.load(context, asOnceSaved(saved)));
        context.moveTo(3, 0.1);
        for (DelayedAverage* each : {&average, &resumed, &resumedFromOld}) {
            params.weights().fill_(30);
            each->afterStep(context);
            EXPECT_EQ(params.weights()[0].item<double>(), 0.25 * 30 + 0.75 * (20 + 3 + 4 + 0.5 * (30 - 20)));
        }
    });
}

// An optimiser whose state the test sets.
class KnownState final : public Optimizer {
public:
    explicit KnownState(FlatParams& params) : velocity(at::zeros_like(params.weights())) {}
    void step(FlatParams&, double) override {}
    double learningRate() const override { return 0.1; }
    std::vector<at::Tensor> state() override { return {velocity}; }
    std::int64_t stateTensors() const override { return 1; }
    void reset() override { ++resets; }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t, std::int64_t) const override { return nullptr; }
    void save(Archive& archive) const override { archive.put("velocity", velocity); }
    Status load(const Archive& archive, FlatParams&) override { return archive.read("velocity", velocity); }

    at::Tensor velocity;
    int resets = 0;
};

struct Merged {
    std::vector<double> velocity;  // after each step, of rank 0
    std::vector<double> staleness;
    std::int64_t bytesSent = 0;
    int resets = 0;
};

// Two ranks: rank r's velocity is (r + 1)·k before the merge of step k, so that a mean is 1.5·k.
Merged mergedBy(const DelayedAverageParams& values, std::int64_t steps) {
    Merged merged;
    runRanks(Backend::Gloo, 2, [&](Communicator& comm, Clock& clock) {
        const bool first = comm.rank() == Rank{0};
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        KnownState optimizer(params);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor, 1,
                            {.optimizer = &optimizer, .metric = [&](std::string_view name, double value) {
                                 EXPECT_EQ(name, "staleness/steps");
                                 if (first) merged.staleness.push_back(value);
                             }});
        DelayedAverage average(values);
        const at::NoGradGuard guard;
        average.start(context);
        for (std::int64_t k = 1; k <= steps; ++k) {
            optimizer.velocity.fill_(static_cast<double>(k * (comm.rank().value() + 1)));
            context.moveTo(k, 0.1);
            average.afterStep(context);
            if (first) merged.velocity.push_back(optimizer.velocity[2].item<double>());
        }
        average.drain(context);
        if (!first) return;
        merged.resets = optimizer.resets;
        merged.bytesSent = comm.bytesSent();
    });
    return merged;
}

TEST(DelayedAverage, AveragesTheOptimisersStateBesideTheWeights) {
    // The state that left at step 2 comes back at step 3, where the rank's own is 3: ξ·3 + (1 − ξ)·1.5·2.
    DelayedAverageParams values{.period = 2, .delay = 1, .localWeight = 0.25, .optimizerState = "average"};
    const Merged both = mergedBy(values, 3);
    EXPECT_EQ(both.velocity, (std::vector<double>{1, 2, 0.25 * 3 + 0.75 * 3}));
    values.correction = 0.5;
    EXPECT_EQ(mergedBy(values, 3).velocity, both.velocity) << "the correction is of the weights alone";
    values.optimizerState = "keep";
    const Merged kept = mergedBy(values, 3);
    EXPECT_EQ(kept.velocity, (std::vector<double>{1, 2, 3}));
    EXPECT_EQ(both.bytesSent, 2 * kept.bytesSent);
    EXPECT_EQ(both.resets + kept.resets, 0);

    // Local SGD: every rank continues with the mean.
    const DelayedAverageParams local{.period = 2, .delay = 0, .localWeight = 0, .optimizerState = "average"};
    EXPECT_EQ(mergedBy(local, 4).velocity, (std::vector<double>{1, 3, 3, 6}));
}

TEST(DelayedAverage, ResetsTheOptimiserAtEveryMerge) {
    EXPECT_EQ(mergedBy({.period = 2, .delay = 1, .optimizerState = "reset"}, 6).resets, 2) << "at steps 3 and 5";
    EXPECT_EQ(mergedBy({.period = 2, .delay = 0, .localWeight = 0, .optimizerState = "reset"}, 6).resets, 3);
}

TEST(DelayedAverage, RecordsHowOldEachMergedAverageIs) {
    EXPECT_EQ(mergedBy({.period = 4, .delay = 3}, 12).staleness, (std::vector<double>{3, 3})) << "at steps 7 and 11";
    EXPECT_EQ(mergedBy({.period = 2, .delay = 0, .localWeight = 0}, 4).staleness, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace dasgd::test
