#include "core/train/steps/measure_step.h"

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
    ASSERT_EQ(times.gradientShares.size(), data.parameterShapes.size());
    for (const double share : times.gradientShares) EXPECT_GE(share, 0);
    const double sum = std::accumulate(times.gradientShares.begin(), times.gradientShares.end(), 0.0);
    EXPECT_GT(sum, 0.3);
    EXPECT_LE(sum, 1.0);
    // The convolutions (slots 0 to 3) come last and do most of the work of this network, with 4 % of its weights. How
    // much of the time that is depends on what else the machine does.
    EXPECT_GT(times.gradientShares[0] + times.gradientShares[1] + times.gradientShares[2] + times.gradientShares[3],
              sum / 4);
}

TEST(MeasureStep, TakesAGivenTimeAsItIs) {
    const Experiment experiment = lenet({{"step_time", text("30ms")}});
    const StepTimes times = stepTimesOf(experiment, loadTrainingData(experiment).value()).value();
    EXPECT_DOUBLE_EQ(times.total(), 0.030);
}

// 416,520 multiply-adds forward, three times as many in all but for those of the first layer's input.
TEST(MeasureStep, SplitsAGivenTimeAsTheLayersHaveIt) {
    const Experiment experiment = lenet({{"step_time", text("30ms")}});
    const StepTimes times = stepTimesOf(experiment, loadTrainingData(experiment).value()).value();
    const double all = 3 * 416'520 - 117'600;
    EXPECT_DOUBLE_EQ(times.forward, 0.030 * 416'520 / all);
    EXPECT_DOUBLE_EQ(times.gradientShares[2], 2 * 240'000 / (all - 416'520)) << "the second convolution";
    EXPECT_DOUBLE_EQ(times.forwardShares[4], 48'000 / 416'520.0) << "the first fully connected layer";
}

TEST(MeasureStep, ReckonsADevicesTimeFromTheModelsFlop) {
    const Experiment experiment =
        lenet({{"step_time", text("device")}, {"device", text("v100")}, {"efficiency", number(0.4)}});
    const StepTimes times = stepTimesOf(experiment, loadTrainingData(experiment).value()).value();
    EXPECT_DOUBLE_EQ(times.total(), 4 * 2.0 * (3 * 416'520 - 117'600) / (15.7e12 * 0.4));
    EXPECT_EQ(experiment.resolved.find("compute")->find("peak_tflops")->toToml(), "15.7") << "the record has it";
}

}  // namespace
}  // namespace dasgd::test
