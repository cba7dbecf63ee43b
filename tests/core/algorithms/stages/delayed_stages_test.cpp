// Stages that do not wait for each other, against the formula; what fdg and dsp_layers have in common.
#include "core/algorithms/stages/delayed_stages.h"

#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "tests/support/in_child_process.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/sim/virtual_cluster.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

StagedRun ticking(const std::string& algorithm, int stages) {
    std::vector<std::int64_t> hidden;
    for (int layer = 1; layer < stages; ++layer) hidden.push_back(8 - layer);
    return {.algorithm = algorithm, .workers = stages, .stages = stages, .hidden = hidden, .steps = 40};
}

class DelayedStagesAre : public testing::TestWithParam<std::tuple<Backend, std::string, int>> {};

TEST_P(DelayedStagesAre, TheFormula) {
    const auto& [backend, algorithm, stages] = GetParam();
    const StagedRun run = ticking(algorithm, stages);
    const Value document = run.document();
    const Trajectory got = wholeWeights(train(document, backend), stages);
    const SerialStages serial{.keepsWeights = algorithm == "fdg"};
    const Trajectory expected = serial.train(readExperiment(document).value(), run.rate);
    EXPECT_NE(got.front(), got.back()) << "it trains";
    expectSame(got, expected, 1e-12);
    if (stages < 3) return;
    // A stage in between passes gradients down through its weights, of which there are two kinds.
    const SerialStages other{.keepsWeights = algorithm != "fdg"};
    EXPECT_NE(other.train(readExperiment(document).value(), run.rate).back(), expected.back());
}

INSTANTIATE_TEST_SUITE_P(Stages, DelayedStagesAre,
                         testing::Combine(testing::Values(Backend::Threads, Backend::Gloo),
                                          testing::Values("fdg", "dsp_layers"), testing::Values(1, 2, 3, 4)));

class DelayedStages2 : public testing::TestWithParam<std::string> {};

// One weight a stage and a bias, in plain numbers: h = max(0, ux + b), z_j = v_j h + c_j for two classes.
TEST_P(DelayedStages2, StepAsNumbersDo) {
    StagedRun run = ticking(GetParam(), 2);
    run.hidden = {1};
    run.shape = {1};
    run.classes = 2;
    run.batch = 1;
    run.rate = 0.2;
    const Value document = run.document();
    const auto experiment = readExperiment(document).value();
    const TrainingData data = loadTrainingData(experiment).value();
    const auto loader = openLoader(experiment, data, Rank(0));
    const Trajectory got = wholeWeights(train(document), 2);
    ASSERT_EQ(got[0][0].size(), 6U);
    double u = got[0][0][0], b = got[0][0][1];
    double v[2]{got[0][0][2], got[0][0][3]}, c[2]{got[0][0][4], got[0][0][5]};
    struct Sample {
        double x, h, u, b, passed;
        std::int64_t y;
    };
    std::vector<Sample> samples{{}};
    for (std::size_t tick = 1; tick < got.size(); ++tick) {
        // Stage 1: the batch of the tick before.
        if (tick >= 2) {
            Sample& s = samples[tick - 1];
            double z[2], sum = 0;
            for (int j = 0; j < 2; ++j) sum += z[j] = std::exp(v[j] * s.h + c[j]);
            s.passed = 0;
            for (int j = 0; j < 2; ++j) {
                const double d = z[j] / sum - (j == s.y ? 1 : 0);
                s.passed += d * v[j];
                v[j] -= run.rate * d * s.h;
                c[j] -= run.rate * d;
            }
        }
        // Stage 0: the gradient of the batch of two ticks ago, then the forward pass.
        if (tick >= 3) {
            const Sample& s = samples[tick - 2];
            const bool keeps = GetParam() == "fdg";
            const double before = keeps ? s.u * s.x + s.b : u * s.x + b;
            const double d = before > 0 ? s.passed : 0;
            u -= run.rate * d * s.x;
            b -= run.rate * d;
        }
        const Batch batch = loader->take(1);
        const double x = batch.inputs.item<double>();
        samples.push_back({x, std::max(0.0, u * x + b), u, b, 0, batch.targets.item<std::int64_t>()});
        const double expected[6]{u, b, v[0], v[1], c[0], c[1]};
        for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(got[tick][0][i], expected[i], 1e-12) << tick << " " << i;
    }
    EXPECT_NE(got.front(), got.back());
}

TEST_P(DelayedStages2, RecordTheTicksThatAGradientIsOld) {
    const auto records = train(ticking(GetParam(), 3).document());
    for (int k = 0; k < 3; ++k) {
        const auto& points = records[static_cast<std::size_t>(k)].sink.metrics.at("staleness/steps");
        const std::int64_t delay = 2 * (3 - 1 - k);
        EXPECT_EQ(points.front().step, 1 + k + delay) << "the first gradient";
        EXPECT_EQ(points.size(), static_cast<std::size_t>(40 - k - delay)) << "and one in each tick from then on";
        for (const auto& point : points) EXPECT_EQ(point.value, static_cast<double>(delay));
    }
}

// Nothing is learnt, so that it does not matter which weights a pass has: every loss is that of one process.
TEST_P(DelayedStages2, WithoutLearningHaveTheOutputsOfOneProcess) {
    StagedRun run = ticking(GetParam(), 4);
    run.rate = 0;
    const auto records = train(run.document());
    StagedRun one = run;
    one.workers = one.stages = 1;
    one.algorithm = "independent";
    const auto expected = metricOf(train(one.document())[0], "train/loss");
    const auto& losses = records[3].sink.metrics.at("train/loss");
    ASSERT_EQ(losses.size(), expected.size() - 3);
    for (std::size_t i = 0; i < losses.size(); ++i) {
        EXPECT_EQ(losses[i].step, static_cast<std::int64_t>(i) + 4) << "the first batch has come through four stages";
        EXPECT_EQ(losses[i].value, expected[i]);
    }
}

TEST_P(DelayedStages2, TakeMicroBatchesAndShortBatches) {
    StagedRun run = ticking(GetParam(), 3);
    run.momentum = 0.9;
    const Trajectory full = wholeWeights(train(run.document()), 3);
    run.batch = 2;
    run.accumulate = 4;
    expectSame(wholeWeights(train(run.document()), 3), full, 1e-12);
}

TEST_P(DelayedStages2, ReplicasOnTheSameDataAreOne) {
    StagedRun run = ticking(GetParam(), 2);
    run.workers = 4;
    const auto records = train(run.document());
    expectSame(wholeWeights(records, 2, 0), wholeWeights(records, 2, 1), 0);
    run.fields = {{"period", integer(5)}};
    const auto apart = train(run.document());
    const Trajectory one = wholeWeights(apart, 2, 0), other = wholeWeights(apart, 2, 1);
    EXPECT_NE(one[14], other[14]);
    EXPECT_EQ(one[15], other[15]) << "averaged";
}

class DelayedStagesResumed : public testing::TestWithParam<std::tuple<std::string, TrainedOn>> {};

TEST_P(DelayedStagesResumed, HaveTheBitsOfARunThatNeverStopped) {
    const auto& [algorithm, on] = GetParam();
    StagedRun run = ticking(algorithm, 3);
    run.workers = 6;
    run.steps = 14;
    run.dropout = 0.25;
    run.momentum = 0.9;
    run.accumulate = 2;
    run.batch = 4;
    run.precision = "float32";
    run.backend = nameOf(on);
    Value document = run.document();
    document.set("record", table({}));
    expectSameModelAfterStops(on, document, {1, 2, 4, 9});
}

const auto kNameOfResumed = [](const auto& info) {
    return std::get<0>(info.param) + "_" + nameOf(std::get<1>(info.param));
};
INSTANTIATE_TEST_SUITE_P(SimulatedTime, DelayedStagesResumed,
                         testing::Combine(testing::Values("fdg", "dsp_layers"), testing::Values(TrainedOn::Virtual)),
                         kNameOfResumed);
INSTANTIATE_TEST_SUITE_P(Backends, DelayedStagesResumed,
                         testing::Combine(testing::Values("fdg", "dsp_layers"),
                                          testing::Values(TrainedOn::Threads, TrainedOn::Gloo)),
                         kNameOfResumed);

// Four equal stages: a tick takes T/4, of which dsp_layers makes the forward part once more.
class DelayedStagesSimulatedTime : public testing::TestWithParam<std::string> {};

TEST_P(DelayedStagesSimulatedTime, IsThatOfAStage) {
    const bool again = GetParam() == "dsp_layers";
    const auto ticks = inChildProcess([&] {
        StagedRun run = ticking(GetParam(), 4);
        run.hidden = {64, 64, 64};
        run.shape = {64};
        run.classes = 64;
        run.backend = "virtual";
        run.trainSamples = 2048;
        Value document = run.document();
        // A message takes 66 µs, which the other half of a tick hides.
        document.set("network", gigabit());
        document.set("compute", table({{"step_time", text("40ms")},
                                       {"forward_share", number(0.4)},
                                       {"gradient_shares", vector({0.25, 0, 0.25, 0, 0.25, 0, 0.25, 0})}}));
        document.set("record", table({}));
        std::vector<double> all;
        for (const RankRecord& record : trainVirtually(document)) {
            Ns first = 0, last = 0;
            for (const Span& span : record.sink.spans) {
                if (span.kind != SpanKind::Backward) continue;
                if (span.step == 10) first = span.end;
                if (span.step == 40) last = span.end;
            }
            all.push_back(static_cast<double>(last - first) * 1e-9 / 30);
        }
        return all;
    });
    const double expected = 0.010 * (again ? 1.4 : 1);
    for (const double tick : ticks) EXPECT_NEAR(tick, expected, 0.02 * expected);
}

INSTANTIATE_TEST_SUITE_P(Rules, DelayedStagesSimulatedTime, testing::Values("fdg", "dsp_layers"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Rules, DelayedStages2, testing::Values("fdg", "dsp_layers"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
