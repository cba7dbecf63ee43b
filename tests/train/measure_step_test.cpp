#include "core/train/measure_step.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/support/document.h"

namespace dasgd::test {
namespace {

Experiment lenet(Fields compute) {
    return std::move(readExperiment(table({{"algorithm", table({{"name", text("independent")}})},
                                           {"model", table({{"name", text("lenet")}})},
                                           {"train", table({{"batch_size", integer(4)}})},
                                           {"cluster", table({{"backend", text("virtual")}})},
                                           {"compute", table(std::move(compute))}}))
                         .value());
}

TEST(MeasureStep, FindsEveryPhaseAndWhereTheBackwardPassGoes) {
    const Experiment experiment = lenet({});
    const TrainingData data = loadTrainingData(experiment).value();
    const StepTimes times = stepTimesOf(experiment, data).value();
    for (const double phase : {times.data, times.forward, times.backward, times.update}) {
        EXPECT_GT(phase, 0);
        EXPECT_LT(phase, 10);
    }
    ASSERT_EQ(times.gradientShares.size(), data.parameterSizes.size());
    for (const double share : times.gradientShares) EXPECT_GE(share, 0);
    const double sum = std::accumulate(times.gradientShares.begin(), times.gradientShares.end(), 0.0);
    EXPECT_GT(sum, 0.3);
    EXPECT_LE(sum, 1.0);
    // The convolutions (slots 0 to 3) come last and do nearly all the work of this network.
    EXPECT_GT(times.gradientShares[0] + times.gradientShares[1] + times.gradientShares[2] + times.gradientShares[3],
              sum / 2);
}

TEST(MeasureStep, TakesAGivenTimeAsItIs) {
    const Experiment experiment = lenet({{"step_time", text("30ms")}});
    const StepTimes times = stepTimesOf(experiment, loadTrainingData(experiment).value()).value();
    EXPECT_DOUBLE_EQ(times.total(), 0.030);
}

}  // namespace
}  // namespace dasgd::test
