// Estimates and updates of two half-batches, held to the rule in plain doubles; that each half hides the other's
// communication is read off the recorded timeline.
#include <gmock/gmock.h>
#include <torch/nn/modules/linear.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <latch>
#include <map>
#include <tuple>

#include "core/algorithms/extensions.h"
#include "core/cost/cost.h"
#include "core/exec/cpu_executor.h"
#include "core/optimizers/optimizer.h"
#include "core/step/step_context.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields acco(bool estimates = true) { return {{"name", text("acco")}, {"estimates", boolean(estimates)}}; }

// PyTorch's SGD on one vector, with a state that can be put back.
struct PlainSgd {
    const QuadraticProblem& problem;
    Vec velocity = {};

    [[nodiscard]] Vec step(const Vec& weights, const Vec& gradient) {
        const bool isFirst = velocity.empty();
        velocity.resize(weights.size());
        Vec next = weights;
        for (std::size_t j = 0; j < weights.size(); ++j) {
            const double g = gradient[j] + problem.weightDecay * weights[j];
            velocity[j] = isFirst ? g : problem.momentum * velocity[j] + g;
            next[j] -= problem.rate * (problem.nesterov ? g + problem.momentum * velocity[j] : velocity[j]);
        }
        return next;
    }
};

Vec gradientOfAll(const QuadraticProblem& problem, const Vec& weights) {
    Workers all;
    for (int i = 0; i < problem.workers; ++i) all.push_back(problem.gradient(weights, problem.target(i)));
    return mean(all);
}

// θ̃_{t+1} = U(θ_t, ⟨g_A(θ̃_t)⟩), after which U is as before it; θ_{t+1} = U(θ_t, ⟨g_A(θ̃_t) + g_B(θ_t)⟩/2). A worker has
// θ after an odd step and θ̃ after an even one.
Trajectory serialAcco(const QuadraticProblem& problem) {
    PlainSgd sgd{problem};
    Vec theta = problem.start, estimate = problem.start;
    const auto everywhere = [&](const Vec& w) { return Workers(static_cast<std::size_t>(problem.workers), w); };
    Trajectory all{everywhere(theta)};
    while (std::ssize(all) <= problem.steps) {
        const Vec a = gradientOfAll(problem, estimate);
        all.push_back(everywhere(theta));
        const Vec b = gradientOfAll(problem, theta);
        estimate = PlainSgd(sgd).step(theta, a);
        all.push_back(everywhere(estimate));
        Vec both = a;
        for (std::size_t j = 0; j < both.size(); ++j) both[j] = (a[j] + b[j]) / 2;
        theta = sgd.step(theta, both);
    }
    all.resize(static_cast<std::size_t>(problem.steps) + 1);
    return all;
}

// θ_{t+1} = U(θ_t, ⟨g(θ_{t−1})⟩), with θ_{−1} = θ_0; after step t a worker has θ_{t−1}.
Trajectory serialDelayedUpdate(const QuadraticProblem& problem) {
    PlainSgd sgd{problem};
    std::vector<Vec> theta{problem.start};
    Trajectory all{Workers(static_cast<std::size_t>(problem.workers), problem.start)};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        const Vec& before = theta[theta.size() < 2 ? 0 : theta.size() - 2];
        all.emplace_back(static_cast<std::size_t>(problem.workers), theta.back());
        theta.push_back(sgd.step(theta.back(), gradientOfAll(problem, before)));
    }
    return all;
}

class AccoOracle : public testing::TestWithParam<std::tuple<Backend, int, bool>> {};

TEST_P(AccoOracle, FollowsTheSerialRule) {
    const auto& [backend, workers, estimates] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 100, .rate = 0.05, .weightDecay = 0.01, .nesterov = true};
    const Trajectory expected = estimates ? serialAcco(problem) : serialDelayedUpdate(problem);
    const Trajectory got = recorded(train(problem.experiment(acco(estimates)), backend));
    expectSame(got, expected, 1e-12);
    for (const Workers& w : got) {
        for (const Vec& one : w) EXPECT_EQ(one, w[0]) << "replicas are bit-equal";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AccoOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4, 7),
                                          testing::Bool()));

// Weights of every step of one rank of two, whose gradient is the same in all of them.
std::vector<at::Tensor> underConstantGradient(const std::string& algorithm, const Fields& fields,
                                              const std::string& optimizer, int steps) {
    std::vector<at::Tensor> way;
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(4, 3);
        FlatParams params(*layer, torch::kFloat);
        const at::NoGradGuard guard;
        params.weights().copy_(torch::linspace(-1, 2, params.size()));
        params.gradients().copy_(torch::linspace(3, -2, params.size()));
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        const auto steps_ = OptimizerRegistry::find(optimizer)->create(Value(Value::Table{}), {}).value();
        StepContext context(comm, clock, params, executor, 1, {.optimizer = steps_.get()});
        const auto rule = AlgorithmRegistry::find(algorithm)->create(table(fields), {}).value();
        rule->start(context);
        for (int k = 1; k <= steps; ++k) {
            context.moveTo(k, 0.01);
            rule->afterBackward(context);
            auto* own = dynamic_cast<OwnUpdate*>(rule.get());
            own ? own->update(context, *steps_) : steps_->step(params, 0.01);
            rule->afterStep(context);
            if (comm.rank() == Rank{0}) way.push_back(params.weights().clone());
        }
        rule->drain(context);
        if (comm.rank() == Rank{0}) way.push_back(params.weights().clone());
    });
    return way;
}

class AccoOfConstantGradients : public testing::TestWithParam<const char*> {};

// Then θ̃ = θ, which are those of synchronous steps: the optimiser counts each update once, and the estimate not at all.
TEST_P(AccoOfConstantGradients, AreSynchronousSteps) {
    constexpr int kUpdates = 6;
    const auto way = underConstantGradient("acco", {}, GetParam(), 2 * kUpdates);
    const auto synchronous = underConstantGradient("sync_sgd", {}, GetParam(), kUpdates);
    for (std::size_t t = 0; t < kUpdates; ++t) {
        EXPECT_TRUE(torch::equal(way[2 * t + 1], synchronous[t])) << "estimate " << t + 1;
        if (t == 0) continue;
        EXPECT_TRUE(torch::equal(way[2 * t], synchronous[t - 1])) << "update " << t;
    }
    EXPECT_TRUE(torch::equal(way.back(), synchronous[kUpdates - 1])) << "the last update is made as the run ends";
}

TEST_P(AccoOfConstantGradients, AreSynchronousStepsOneLaterWithoutEstimates) {
    const auto way = underConstantGradient("acco", {{"estimates", boolean(false)}}, GetParam(), 6);
    const auto synchronous = underConstantGradient("sync_sgd", {}, GetParam(), 6);
    for (std::size_t k = 1; k < 6; ++k) EXPECT_TRUE(torch::equal(way[k], synchronous[k - 1])) << "step " << k + 1;
    EXPECT_TRUE(torch::equal(way.back(), synchronous[5])) << "the last update is made as the run ends";
}

INSTANTIATE_TEST_SUITE_P(Optimizers, AccoOfConstantGradients, testing::Values("sgd", "adam", "adamw"));

// An exchange leaves in each step and is merged in the next, the last update as the run ends.
TEST(AccoStaleness, IsOneStepUntilTheRunEnds) {
    for (const bool estimates : {true, false}) {
        const QuadraticProblem problem{.workers = 2, .steps = 8};
        for (const RankRecord& record : train(problem.experiment(acco(estimates)))) {
            ASSERT_EQ(record.outcome.error, "");
            std::vector<std::pair<std::int64_t, double>> expected, got;
            for (std::int64_t step = 2; step <= 8; ++step) expected.emplace_back(step, 1);
            expected.emplace_back(8, 0);
            for (const auto& point : record.sink.metrics.at("staleness/steps"))
                got.emplace_back(point.step, point.value);
            EXPECT_EQ(got, expected);
        }
    }
}

// x_{t+1} = x_t − ηλx_{t−1} is stable for ηλ < 2 sin(π/6) = 1.
TEST(AccoWithoutEstimates, IsStableBelowTheLimitOfOneStepOfDelay) {
    const auto distance = [](double rate) {
        const QuadraticProblem problem{.workers = 2,
                                       .steps = 400,
                                       .rate = rate,
                                       .momentum = 0,
                                       .equalTargets = true,
                                       .matrix = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        const Vec last = recorded(train(problem.experiment(acco(false)))).back()[0];
        return std::abs(last[0] - problem.target(0)[0]);
    };
    EXPECT_LT(distance(0.95), 1e-3);
    EXPECT_GT(distance(1.05), 1e3);
}

// ------------------------------------------------------------------------------------------ in simulated time

constexpr double kHalf = 0.020;                     // s: the passes of a half-batch
constexpr double kAccoBytes = 4.0 * 4 * 128 * 128;  // of four layers
constexpr int kAccoWorkers = 4;

Value accoInSimulatedTime(double bandwidth, bool estimates = true) {
    return table(
        {{"algorithm", table(acco(estimates))},
         {"model",
          table({{"name", text("layer_table")}, {"dense", matrix({{128, 128}, {128, 128}, {128, 128}, {128, 128}})}})},
         {"train", table({{"steps", integer(24)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(kAccoWorkers)}})},
         {"network", table({{"name", text("star")},
                            {"bandwidth", text(std::to_string(bandwidth / 1e6) + "Mbps")},
                            {"latency", text("50us")}})},
         {"compute",
          table({{"mode", text("time-only")}, {"step_time", text("20ms")}, {"memory_bandwidth", text("1000TB/s")}})}});
}

// Reduce-scatter and all-gather of all weights.
double exchangeAt(double bandwidth) {
    const LinkCost link{.alpha = 50e-6, .beta = 8 / bandwidth};
    return ringAllReduceSeconds(link, kAccoBytes, kAccoWorkers);
}

TEST(AccoInSimulatedTime, EachHalfHidesTheOthersCommunication) {
    const double bandwidth = 200e6;
    ASSERT_LT(exchangeAt(bandwidth), kHalf);
    ASSERT_GT(exchangeAt(bandwidth), 0.7 * kHalf);
    const auto records = trainVirtually(accoInSimulatedTime(bandwidth));
    for (const RankRecord& record : records) {
        ASSERT_EQ(record.outcome.error, "");
        EXPECT_NEAR(meanStepSeconds(record), kHalf, 1e-6);
        std::map<std::int64_t, TimeRange> passes;  // by step
        std::map<std::int64_t, std::vector<Span>> exchanges;
        for (const Span& span : record.sink.spans) {
            if (span.kind == SpanKind::Forward) passes[span.step].start = span.start;
            if (span.kind == SpanKind::Backward) passes[span.step].end = span.end;
            if (span.kind == SpanKind::Reduce) exchanges[span.step].push_back(span);
            if (span.kind != SpanKind::Wait) continue;
            EXPECT_EQ(span.step, 24) << "for the last update, as the run ends";
        }
        ASSERT_EQ(exchanges.size(), 24U) << "one of each half-batch";
        for (const auto& [step, two] : exchanges) {
            ASSERT_EQ(two.size(), 2U) << "a reduce-scatter and an all-gather";
            if (step == 24) continue;  // nothing comes after it
            EXPECT_GE(two[0].start, passes.at(step).end);
            EXPECT_LE(two[0].end, two[1].start) << "the update lies between";
            EXPECT_LE(two[1].end, passes.at(step + 1).end) << "within the passes of the other half";
        }
    }
}

class AccoExchangesInSimulatedTime : public testing::TestWithParam<bool> {};

TEST_P(AccoExchangesInSimulatedTime, AreWaitedForWhereTheyAreLongerThanAHalf) {
    const double bandwidth = 100e6;
    ASSERT_GT(exchangeAt(bandwidth), kHalf);
    const auto records = trainVirtually(accoInSimulatedTime(bandwidth, GetParam()));
    EXPECT_NEAR(meanStepSeconds(records[0]), exchangeAt(bandwidth), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Estimates, AccoExchangesInSimulatedTime, testing::Bool());

// What a step sends counts in the one that waits for its gather: 3/4 of the weights for either.
TEST(AccoInSimulatedTime, SendsAnAllReducesBytesAStep) {
    const auto records = trainVirtually(accoInSimulatedTime(1e9));
    const auto& last = records[0].sink.metrics.at("train/step_ms").back();
    EXPECT_EQ(static_cast<double>(last.bytesSent), (24 + 23) * 0.75 * kAccoBytes);
}

// ------------------------------------------------------------------------------------------------------ others

TEST(AccoOptimizer, HasThePthPartOfItsState) {
    runRanks(Backend::Threads, 4, [](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(4, 3);  // 15 weights
        FlatParams params(*layer, torch::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        const auto adam = OptimizerRegistry::find("adam")->create(Value(Value::Table{}), {}).value();
        StepContext context(comm, clock, params, executor, 1, {.optimizer = adam.get()});
        const auto rule = AlgorithmRegistry::find("acco")->create(Value(Value::Table{}), {}).value();
        rule->start(context);
        for (int k = 1; k <= 2; ++k) {
            context.moveTo(k, 0.1);
            rule->afterBackward(context);
        }
        rule->drain(context);
        for (const at::Tensor& state : adam->state()) EXPECT_EQ(state.numel(), 4);
    });
}

TEST(AccoCheck, RefusesWhatItCannotTrain) {
    const auto algorithm = AlgorithmRegistry::find("acco")->create(Value(Value::Table{}), {}).value();
    EXPECT_FALSE(algorithm->check({.workers = 3, .optimizerState = 2}));
    EXPECT_EQ(algorithm->check({.clips = true}).value().field, "train.gradient_clip");
    EXPECT_EQ(algorithm->check({.layerwise = true}).value().field, "optimizer.name");
    EXPECT_THAT(algorithm->check({.onGpus = true}).value().message, HasSubstr("choose backend = \"gloo\""));
}

// A rank whose training fails leaves its exchange behind, which others may end later.
TEST(AccoLost, LeavesNothingBehindThatIsUsed) {
    std::latch gone(1);
    runRanks(Backend::Threads, 2, [&](Communicator& comm, Clock& clock) {
        torch::nn::Linear layer(4, 3);  // 15 weights
        FlatParams params(*layer, torch::kFloat);
        MemorySink sink;
        CpuExecutor executor(clock, sink, TraceLevel::Off);
        {
            const auto sgd = OptimizerRegistry::find("sgd")->create(Value(Value::Table{}), {}).value();
            StepContext context(comm, clock, params, executor, 1, {.optimizer = sgd.get()});
            const auto rule = AlgorithmRegistry::find("acco")->create(Value(Value::Table{}), {}).value();
            rule->start(context);
            context.moveTo(1, 0.1);
            if (comm.rank() == Rank{0}) rule->afterBackward(context);
        }
        if (comm.rank() == Rank{0}) return gone.count_down();
        gone.wait();
        at::Tensor in = at::zeros({16}), out = at::zeros({8});
        comm.reduceScatter(in, out, Reduce::Mean).wait();  // ends rank 0's
    });
}

SerialRule accoRule(const SerialView& view) {
    constexpr double kMomentum = 0.9;  // of the oracle's training
    struct State {
        at::Tensor theta, velocity, gradient, first;
    };
    const auto state = std::make_shared<State>();
    state->theta = view.start;
    state->velocity = torch::zeros_like(view.start);
    return {.gradients = [state](std::int64_t, Vectors& g) { state->gradient = meanOf(g); },
            .weights =
                [state, rate = view.rate](std::int64_t k, Vectors& w) {
                    if (k % 2 == 1) {
                        state->first = state->gradient;
                        return w.assign(w.size(), state->theta);
                    }
                    const at::Tensor estimate = state->theta - rate * (kMomentum * state->velocity + state->first);
                    state->velocity = kMomentum * state->velocity + (state->first + state->gradient) / 2;
                    state->theta = state->theta - rate * state->velocity;
                    w.assign(w.size(), estimate);
                }};
}

const AlgorithmTrial::Add kAccoTrial{{.algorithm = "acco", .rule = &accoRule, .mergePasses = 2, .onGpus = false}};

SerialRule delayedUpdateRule(const SerialView& view) {
    struct State {
        at::Tensor theta, velocity, gradient;
    };
    const auto state = std::make_shared<State>();
    state->theta = view.start;
    state->velocity = torch::zeros_like(view.start);
    return {.gradients = [state](std::int64_t, Vectors& g) { state->gradient = meanOf(g); },
            .weights =
                [state, rate = view.rate](std::int64_t, Vectors& w) {
                    w.assign(w.size(), state->theta);
                    state->velocity = 0.9 * state->velocity + state->gradient;
                    state->theta = state->theta - rate * state->velocity;
                }};
}

const AlgorithmTrial::Add kDelayedUpdateTrial{{.algorithm = "acco",
                                               .fields = {{"estimates", boolean(false)}},
                                               .rule = &delayedUpdateRule,
                                               .what = "delayed",
                                               .mergePasses = 2,
                                               .onGpus = false}};

}  // namespace
}  // namespace dasgd::test
