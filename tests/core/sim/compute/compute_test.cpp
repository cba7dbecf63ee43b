#include "core/sim/compute/compute.h"

#include <gmock/gmock.h>

#include "core/sim/compute/layer_work.h"
#include "tests/support/document.h"

namespace dasgd {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const StepTimes kTimes{
    .data = 0.001, .forward = 0.010, .backward = 0.020, .update = 0.002, .gradientShares = {0.5, 0.25}};

TEST(ComputeModel, ChargesEachPhaseAndNothingElse) {
    ComputeModel model(ComputeParams{.memoryBandwidth = "1GB/s"}, kTimes, 0);
    EXPECT_EQ(model.seconds(SpanKind::Data, 0), 0.001);
    EXPECT_EQ(model.seconds(SpanKind::Forward, 0), 0.010);
    EXPECT_EQ(model.seconds(SpanKind::Backward, 0), 0.020);
    EXPECT_EQ(model.seconds(SpanKind::Update, 0), 0.002);
    EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Snapshot, 1'000'000), 0.002);
    EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Merge, 1'000'000), 0.003);
    for (const SpanKind kind : {SpanKind::Wait, SpanKind::Reduce, SpanKind::Eval}) EXPECT_EQ(model.seconds(kind, 9), 0);
    EXPECT_DOUBLE_EQ(model.gradientSeconds(0), 0.010);
    EXPECT_DOUBLE_EQ(model.gradientSeconds(1), 0.005);
    EXPECT_EQ(model.gradientSeconds(2), 0);
}

TEST(ComputeModel, GoesThroughTheForwardPassLayerByLayerWithOneDraw) {
    StepTimes times = kTimes;
    times.forwardShares = {0.75, 0.25};
    ComputeParams params;
    params.straggler = StragglerParams{.factor = 3, .every = 2};
    ComputeModel model(params, times, 0);
    for (const double slow : {1.0, 3.0, 1.0}) {
        EXPECT_DOUBLE_EQ(model.forwardSeconds(0), 0.0075 * slow);
        EXPECT_DOUBLE_EQ(model.forwardSeconds(1), 0.0025 * slow);
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Forward, 0), 0.010 * slow) << "the same step";
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Backward, 0), 0.020 * slow);
    }
}

TEST(ComputeModel, MicroBatchesOfOneStepHaveOneDraw) {
    ComputeParams params;
    params.straggler = StragglerParams{.factor = 3, .every = 2};
    ComputeModel model(params, kTimes, 0);
    for (const double slow : {1.0, 3.0, 1.0}) {
        model.setBatchShare(1, false);
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Forward, 0), 0.010 * slow);
        model.setBatchShare(0.5, true);
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Forward, 0), 0.005 * slow) << "the same step";
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Backward, 0), 0.010 * slow);
    }
    EXPECT_DOUBLE_EQ(kTimes.total(3), 3 * 0.031 + 0.002);
}

// Two layers: little to compute with many elements, and the other way round.
const LayerWork kWork{.forward = {100, 300}, .backward = {100, 600}};
const std::vector<std::int64_t> kSizes{30, 10};

TEST(EstimateStepTimes, SplitsAGivenTimeByTheLayersFlop) {
    const StepTimes times = estimateStepTimes({.stepTime = "55ms"}, kWork, kSizes, 8).value();
    EXPECT_DOUBLE_EQ(times.forward, 0.020);
    EXPECT_DOUBLE_EQ(times.backward, 0.035);
    EXPECT_THAT(times.gradientShares, ElementsAre(1.0 / 7, 6.0 / 7));
    EXPECT_THAT(times.forwardShares, ElementsAre(0.25, 0.75));
}

TEST(EstimateStepTimes, SplitsByElementsWhereNothingWasCounted) {
    const StepTimes times = estimateStepTimes({.stepTime = "60ms"}, {{0, 0}, {0, 0}}, kSizes, 8).value();
    EXPECT_DOUBLE_EQ(times.forward, 0.020);
    EXPECT_THAT(times.gradientShares, ElementsAre(0.75, 0.25));
}

TEST(EstimateStepTimes, LetsTheUserSplit) {
    const ComputeParams shared{.stepTime = "60ms", .gradientShares = {0.1, 0.6}};
    EXPECT_THAT(estimateStepTimes(shared, kWork, kSizes, 8)->gradientShares, ElementsAre(0.1, 0.6));
    const StepTimes times = estimateStepTimes({.stepTime = "60ms", .forwardShare = 0.25}, kWork, kSizes, 8).value();
    EXPECT_DOUBLE_EQ(times.forward, 0.015);
    EXPECT_DOUBLE_EQ(times.backward, 0.045);
}

TEST(EstimateStepTimes, DividesTheBatchsFlopByWhatTheDeviceReaches) {
    ComputeParams params{.stepTime = "device", .device = "v100", .efficiency = 0.4, .memoryBandwidth = "device"};
    params.fillInDevice();
    EXPECT_EQ(params.peakTeraflops, 15.7);
    EXPECT_EQ(params.memoryBytesPerSecond(), 900e9);
    EXPECT_DOUBLE_EQ(estimateStepTimes(params, kWork, kSizes, 8)->total(), 8 * 1100 / (15.7e12 * 0.4));
    const auto nothing = estimateStepTimes(params, {{0, 0}, {0, 0}}, kSizes, 8);
    ASSERT_FALSE(nothing);
    EXPECT_THAT(nothing.error().message, HasSubstr("write a step_time"));
}

TEST(EstimateStepTimes, TakesThePeakOfTheUsersOwnDevice) {
    ComputeParams params{.stepTime = "device", .peakTeraflops = 2, .efficiency = 0.5};
    params.fillInDevice();
    EXPECT_DOUBLE_EQ(estimateStepTimes(params, kWork, kSizes, 1)->total(), 1100 / 1e12);
}

// The slowness of each of the first steps.
std::vector<double> slowness(const ComputeParams& params, int rank, int steps = 6) {
    ComputeModel model(params, kTimes, rank);
    std::vector<double> factors;
    for (int step = 0; step < steps; ++step) {
        factors.push_back(model.seconds(SpanKind::Forward, 0) / kTimes.forward);
        EXPECT_DOUBLE_EQ(model.seconds(SpanKind::Backward, 0), kTimes.backward * factors.back()) << "one draw a step";
        EXPECT_DOUBLE_EQ(model.gradientSeconds(0), kTimes.backward / 2 * factors.back());
    }
    return factors;
}

TEST(ComputeModel, TakesTheRanksFactorsInTurn) {
    ComputeParams params;
    params.rankFactors = {1.0, 1.5};
    EXPECT_THAT(slowness(params, 2, 2), ElementsAre(1, 1));
    EXPECT_THAT(slowness(params, 3, 2), ElementsAre(1.5, 1.5));
}

TEST(ComputeModel, SlowsTheRanksAndStepsThatWereNamed) {
    ComputeParams params;
    params.straggler = StragglerParams{.ranks = {2}, .factor = 3, .every = 2};
    EXPECT_THAT(slowness(params, 2), ElementsAre(1, 3, 1, 3, 1, 3));
    EXPECT_THAT(slowness(params, 1), ElementsAre(1, 1, 1, 1, 1, 1));
}

TEST(ComputeModel, SlowsAtRandomAsOftenAsAsked) {
    ComputeParams params;
    params.straggler = StragglerParams{.factor = 3, .probability = 0.25};
    const auto factors = slowness(params, 0, 10'000);
    const auto slow = std::count(factors.begin(), factors.end(), 3.0);
    EXPECT_NEAR(static_cast<double>(slow), 2500, 5 * 43.3) << "five standard deviations";
    EXPECT_EQ(factors, slowness(params, 0, 10'000));
}

TEST(ComputeParams, RefusesWhatCannotBe) {
    const auto refused = [](const char* key, Value value) {
        ComputeParams params;
        const auto read = readFields(test::table({{key, std::move(value)}}), params);
        return read ? std::string() : read.error().message;
    };
    EXPECT_THAT(refused("step_time", test::text("soon")), HasSubstr("as 60ms, or \"measured\" or \"device\""));
    EXPECT_THAT(refused("step_time", test::text("device")), HasSubstr("write device = \"v100\""));
    EXPECT_THAT(refused("efficiency", test::number(0.4)), HasSubstr("step_time = \"device\" alone"));
    EXPECT_THAT(refused("device", test::text("v1000")), HasSubstr("v100"));
    EXPECT_THAT(refused("memory_bandwidth", test::text("device")), HasSubstr("write device = \"v100\""));
    EXPECT_THAT(refused("memory_bandwidth", test::text("0GB/s")), HasSubstr("write a rate above 0"));
    EXPECT_THAT(refused("jitter", test::text("gauss(1)")), HasSubstr("\"gauss(1)\" is no jitter"));
    EXPECT_THAT(refused("jitter", test::text("samples")), HasSubstr("needs jitter_samples"));
    EXPECT_THAT(refused("jitter_samples", test::array(std::vector<double>{0.9, 1.1})),
                HasSubstr("jitter = \"samples\" alone"));
    ComputeParams nothing{.jitter = "samples", .jitterSamples = {0, 0}};
    EXPECT_THAT(nothing.check()->message, HasSubstr("jitter_samples are all 0"));
    EXPECT_THAT(refused("rank_factors", test::array(std::vector<double>{})), HasSubstr("rank_factors is empty"));
    EXPECT_THAT(refused("gradient_shares", test::array(std::vector<double>{0.7, 0.7})),
                HasSubstr("sum to more than 1"));
    EXPECT_THAT(refused("contention", test::number(-1)), HasSubstr("contention is -1"));
    EXPECT_THAT(refused("straggler", test::table({{"factor", test::number(0.5)}})), HasSubstr("factor is 0.5"));
}

TEST(UncertaintyParams, ContentionIsAnIntervalOrNotKnown) {
    EXPECT_FALSE(UncertaintyParams{}.check());
    EXPECT_FALSE((UncertaintyParams{.contention = {0.1, 0.2}}.check()));
    EXPECT_TRUE((UncertaintyParams{.contention = {0.2, 0.1}}.check()));
    EXPECT_TRUE((UncertaintyParams{.contention = {0.2}}.check()));
}

}  // namespace
}  // namespace dasgd
