// The outer step itself, one round at a time, on weights that the test sets. Whole trajectories are those of the
// algorithms.
#include "core/algorithms/slow/slow_average.h"

#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/archive.h"
#include "tests/support/ranks.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pointwise;

struct Step {
    double weights = 0;  // of all elements of rank 0 before afterStep, or what it adds to them; of rank r r more
    double rate = 0.1;
    bool drained = false;  // after it
};

// Element 0 of rank 0 after each of the steps; all weights are 1 at the start.
std::vector<double> weightsAfter(const SlowAverageParams& values, const std::vector<Step>& steps, int ranks = 1,
                                 bool adds = false) {
    std::vector<double> seen;
    runRanks(Backend::Threads, ranks, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1);
        FlatParams params(*layer, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor);
        SlowAverage average(values);
        const at::NoGradGuard guard;
        params.weights().fill_(1);
        average.start(context);
        for (std::size_t k = 0; k < steps.size(); ++k) {
            if (!adds) params.weights().fill_(0);
            params.weights().add_(steps[k].weights + comm.rank().value());
            context.moveTo(static_cast<std::int64_t>(k) + 1, steps[k].rate);
            average.afterStep(context);
            if (comm.rank() == Rank{0}) seen.push_back(params.weights()[0].item<double>());
            if (steps[k].drained) average.drain(context);
        }
        average.drain(context);
    });
    return seen;
}

// algorithms.md D6: a spread of 15 against 5.
TEST(SlowAverage, WarnsOfNesterovMomentumOutsideSparseFeedback) {
    const auto warned = [](const SlowAverageParams& values, const std::string& name, bool feedback = true) {
        CompressionSettings settings{
            .name = name, .compressor = CompressorRegistry::find(name)->create(Value(Value::Table{}), {}).value()};
        settings.params.errorFeedback = feedback;
        return SlowAverage(values).warnOfCompression(settings).value_or("");
    };
    const SlowAverageParams nesterov{.momentum = 0.9, .nesterov = true};
    for (const char* name : {"topk", "randk"}) {
        EXPECT_THAT(warned(nesterov, name),
                    AllOf(HasSubstr("[compression] " + std::string(name) + " keeps what it does not send"),
                          HasSubstr("set nesterov = false or the outer momentum to 0")));
        EXPECT_EQ(warned(nesterov, name, false), "") << "nothing is kept";
        EXPECT_EQ(warned({.momentum = 0.9}, name), "");
        EXPECT_EQ(warned({.nesterov = true}, name), "") << "without momentum it is plain SGD";
    }
    for (const char* name : {"sign", "int", "powersgd"}) EXPECT_EQ(warned(nesterov, name), "");
}

TEST(SlowAverage, StepsAlongTheDifferenceToTheMean) {
    // θ = 1; after step 2 m = 2.5: Δ = −1.5, u = −1.5, θ = 1 + 0.5·1.5. Then m = 4.5.
    const SlowAverageParams values{.period = 2, .learningRate = 0.5, .momentum = 0.5};
    const double theta = 1.75, u = 0.5 * -1.5 + (theta - 4.5);
    EXPECT_THAT(weightsAfter(values, {{10}, {2}, {20}, {4}}, 2),
                Pointwise(DoubleNear(1e-12), std::vector<double>{10, theta, 20, theta - 0.5 * u}));
}

TEST(SlowAverage, NesterovLooksAhead) {
    const SlowAverageParams values{.period = 1, .learningRate = 0.5, .momentum = 0.5, .nesterov = true};
    EXPECT_THAT(weightsAfter(values, {{2}}),
                Pointwise(DoubleNear(1e-12), std::vector<double>{1 + 0.5 * (1 + 0.5 * 1)}));
}

// u = (θ − m)/η, and θ moves by η times it: with another rate the momentum counts in proportion.
TEST(SlowAverage, KeepsTheMomentumInUnitsOfTheRate) {
    const SlowAverageParams values{.period = 1, .momentum = 0.5, .momentumOfRate = true};
    const auto seen = weightsAfter(values, {{2, 0.1}, {3, 0.05}, {3, 0}, {4, 0.2}, {5, 0.2}});
    // Δ = −1, θ = 2. u·η = 0.5·½·−1 − 1 = −1.25, θ = 3.25. At a rate of 0 what was kept is none: Δ = 0.25, θ = 3; and
    // behind it u begins anew: Δ = −1, θ = 4; then 0.5·−1 − 1.
    EXPECT_THAT(seen, Pointwise(DoubleNear(1e-12), std::vector<double>{2, 3.25, 3, 4, 5.5}));
}

TEST(SlowAverage, OneRoundLateEachDifferenceIsToItsOwnStart) {
    // Δ¹ = −1 leaves at step 1, where θ stays 1. At step 2 θ = 2, and Δ² = 1 − 5 leaves. Then θ = 6, Δ³ = 2 − 7; θ
    // = 11.
    SlowAverageParams values{.period = 1, .oneRoundLate = true};
    EXPECT_THAT(weightsAfter(values, {{2}, {5}, {7}, {0}}), ElementsAre(1, 2, 6, 11));
    values.penalty = 2;
    EXPECT_THAT(weightsAfter(values, {{2}, {5}, {7}}), ElementsAre(1, 1.5, 3.5));
    values.penalty = 1;
    values.clip = 1.5;
    EXPECT_THAT(weightsAfter(values, {{2}, {5}, {7}}), ElementsAre(1, 2, 3.5));
}

TEST(SlowAverage, OneRoundLateTheDifferenceMayBeFromThePresentWeights) {
    // Nothing moves θ = 1 at step 1. At step 2 the mean is 2, θ − 2 = −1, θ = 2; then 2 − 5, θ = 5; then 5 − 7.
    SlowAverageParams values{.period = 1, .oneRoundLate = true, .fromPresent = true};
    EXPECT_THAT(weightsAfter(values, {{2}, {5}, {7}, {0}}), ElementsAre(1, 2, 5, 7));
    values.penalty = 2;
    // 1 + 1/2; then 1.5 + 3.5/2.
    EXPECT_THAT(weightsAfter(values, {{2}, {5}, {7}}), ElementsAre(1, 1.5, 3.25));
    EXPECT_THAT(weightsAfter(values, {{2, 0.1, true}, {5}, {7}}), ElementsAre(1, 1, 3)) << "what was dropped is none";
}

// CO2 has after each round what SlowMo had after the one before, where local steps do not depend on where they start.
TEST(SlowAverage, OneRoundLateIsTheSameARoundLater) {
    const std::vector<Step> steps{{1}, {-2}, {0.5}, {3}, {-1}, {0.25}};
    SlowAverageParams values{.period = 1, .learningRate = 0.5, .momentum = 0.5};
    const std::vector<double> early = weightsAfter(values, steps, 2, true);
    values.oneRoundLate = true;
    const std::vector<double> late = weightsAfter(values, steps, 2, true);
    EXPECT_EQ(late[0], 1);
    for (std::size_t k = 1; k < late.size(); ++k) EXPECT_NEAR(late[k], early[k - 1], 1e-12) << "round " << k + 1;
}

TEST(SlowAverage, EagerTakesItsOwnShareAtOnce) {
    const SlowAverageParams values{.period = 1, .oneRoundLate = true, .eager = true};
    // Rank 0 finds w = 2, rank 1 w = 3: Δ₀ = −1, of which half is taken at once. Then θ₀ = 1.5 and θ₁ = 2; they find 4
    // and 5: Δ₀ = −2.5, so that Δ̃₀ = −1.5 + (−2.5 + 1)/2.
    EXPECT_THAT(weightsAfter(values, {{2}, {4}}, 2), ElementsAre(1.5, 1.5 + 1.5 + 0.75));
}

// A drain drops the average in flight; a run that continues after it takes its next average as usual.
TEST(SlowAverage, GoesOnAfterADrainInTheMiddle) {
    const SlowAverageParams streaming{.period = 2, .delay = 1};
    EXPECT_THAT(weightsAfter(streaming, {{2}, {5}, {7}, {9}}), ElementsAre(2, 2, 7, 7));
    EXPECT_THAT(weightsAfter(streaming, {{2, 0.1, true}, {5}, {7}, {9}}), ElementsAre(2, 5, 7, 7));
    const SlowAverageParams late{.period = 1, .oneRoundLate = true};
    EXPECT_THAT(weightsAfter(late, {{2, 0.1, true}, {5}, {7}}), ElementsAre(1, 1, 5));
    const SlowAverageParams eager{.period = 1, .oneRoundLate = true, .eager = true};
    EXPECT_THAT(weightsAfter(eager, {{2, 0.1, true}, {5}, {7}}), ElementsAre(2, 5, 7));
}

TEST(SlowAverage, FragmentsTakeTurns) {
    // 2 weights and a bias of one layer cannot be cut; a vector of them can.
    EXPECT_FALSE(SlowAverage({.fragments = 1}).check({.model = "linear", .parameterShapes = {{1, 2}, {1}}}));
    EXPECT_TRUE(SlowAverage({.fragments = 2}).check({.model = "linear", .parameterShapes = {{1, 2}, {1}}}));
    EXPECT_FALSE(SlowAverage({.fragments = 2}).check({.model = "vector", .parameterShapes = {{3}}}));
}

TEST(SlowAverage, RefusesStateOfAnotherModel) {
    runRanks(Backend::Threads, 1, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(2, 1), larger(3, 1);
        FlatParams params(*layer, torch::kFloat64), other(*larger, torch::kFloat64);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        StepContext context(comm, clock, params, executor), elsewhere(comm, clock, other, executor);
        SlowAverage average({.period = 1, .momentum = 0.5}), fresh({.period = 1, .momentum = 0.5});
        average.start(context);
        Archive archive;
        average.save(context, archive);
        const Status loaded = fresh.load(elsewhere, archive);
        ASSERT_FALSE(loaded);
        EXPECT_THAT(loaded.error().message, testing::HasSubstr("'outer'"));
    });
}

}  // namespace
}  // namespace dasgd::test
