#include "core/train/worker_loop.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/comm/emulated_link.h"
#include "tests/support/in_child_process.h"
#include "tests/support/quadratic_oracle.h"
#include "tests/support/sim/virtual_cluster.h"

namespace dasgd::test {
namespace {

// Two ranks over a link whose messages take 5 ms: an all-reduce takes no less than 10 ms, whatever the machine does.
constexpr double kAllReduceSeconds = 0.010;

struct Timed {
    double steps = 0, seconds = 0;
    bool hasThroughput = false;
};

Timed timedOverLink(Backend backend, Fields algorithm, Value train, Value model) {
    auto experiment =
        readExperiment(table({{"algorithm", table(std::move(algorithm))},
                              {"model", std::move(model)},
                              {"train", std::move(train)},
                              {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
    if (!experiment) throw std::runtime_error(experiment.error().message);
    std::vector<MemorySink> sinks(2);
    runRanks(
        backend, 2,
        [&](Communicator& comm, Clock& clock) {
            const auto own = static_cast<std::size_t>(comm.rank().value());
            EXPECT_EQ(runWorker(*experiment, {comm, clock, sinks[own]}).error, "");
        },
        std::chrono::milliseconds(20'000),
        [](std::unique_ptr<Communicator> comm, Clock& clock) {
            return emulateLink(std::move(comm), {.alpha = 0.005, .beta = 1e-9}, clock);
        });
    const auto& metrics = sinks[1].metrics;
    return {metrics.at("timing/steps").back().value, metrics.at("timing/seconds").back().value,
            sinks[0].metrics.contains("throughput/samples_per_s")};
}

Value bowl() {
    return table({{"name", text("quadratic")}, {"matrix", matrix({{1}})}, {"targets", matrix({{0}, {1}})}});
}

class EvaluatedOverLink : public ::testing::TestWithParam<Backend> {
protected:
    [[nodiscard]] static Value steps(std::int64_t count, std::int64_t evalEvery) {
        return table({{"steps", integer(count)}, {"eval_every", integer(evalEvery)}});
    }
};

// An evaluation after every fourth step lets every average arrive off the clock: 0.86 ms a step instead of 6.
TEST_P(EvaluatedOverLink, StepsThatHideBehindEvaluationsAreNotTimed) {
    for (const char* name : {"dasgd", "local_sgd"}) {
        const Fields algorithm{{"name", text(name)}, {"period", integer(4)}};
        const Timed hidden = timedOverLink(GetParam(), algorithm, steps(40, 4), bowl());
        EXPECT_EQ(hidden.steps, 0) << name;
        EXPECT_EQ(hidden.seconds, 0) << name;
        EXPECT_FALSE(hidden.hasThroughput) << name;
    }
}

TEST_P(EvaluatedOverLink, TimedStepsHoldTheCommunicationOfTheirRounds) {
    // Waits for what left after an evaluation: at 5, 9, … 37 and 45, 49, … 77.
    const Timed dasgd = timedOverLink(
        GetParam(), {{"name", text("dasgd")}, {"period", integer(4)}, {"delay", integer(1)}}, steps(80, 40), bowl());
    EXPECT_EQ(dasgd.steps, 64);
    EXPECT_GE(dasgd.seconds, 16 * kAllReduceSeconds);
    // Averages at 4, 8, … 40 and 44, 48, … 80.
    const Timed local =
        timedOverLink(GetParam(), {{"name", text("local_sgd")}, {"period", integer(4)}}, steps(80, 40), bowl());
    EXPECT_EQ(local.steps, 72);
    EXPECT_GE(local.seconds, 18 * kAllReduceSeconds);
}

// Weights and bias in a bucket each.
TEST_P(EvaluatedOverLink, SoDoThoseOfSynchronousSgd) {
    const Fields algorithm{{"name", text("sync_sgd")}, {"first_bucket_mb", number(1e-5)}};
    const Value model = table({{"name", text("logistic")}});
    EXPECT_EQ(timedOverLink(GetParam(), algorithm, steps(6, 1), model).steps, 0);
    // Steps 4 to 10 and 12 to 20.
    const Timed timed = timedOverLink(GetParam(), algorithm, steps(20, 10), model);
    EXPECT_EQ(timed.steps, 16);
    EXPECT_GE(timed.seconds, 16 * 2 * kAllReduceSeconds);
}

INSTANTIATE_TEST_SUITE_P(Backends, EvaluatedOverLink, ::testing::Values(Backend::Threads, Backend::Gloo),
                         [](const auto& info) { return nameOf(info.param); });

TEST(WorkerLoop, EvaluationsTouchEveryStepOfOneThatIsEvaluatedAtEach) {
    const auto records = train(table({{"algorithm", table({{"name", text("independent")}})},
                                      {"model", bowl()},
                                      {"train", table({{"steps", integer(10)}, {"eval_every", integer(1)}})},
                                      {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}}));
    EXPECT_EQ(records[0].sink.metrics.at("timing/steps").back().value, 0);
}

Value logisticDigits(const char* algorithm, Value train) {
    train.set("steps", integer(6));
    train.set("precision", text("float64"));
    return table({{"algorithm", table({{"name", text(algorithm)}})},
                  {"model", table({{"name", text("logistic")}})},
                  {"train", std::move(train)},
                  {"cluster", table({{"backend", text("threads")}, {"workers", integer(2)}})}});
}

TEST(WorkerLoop, AccumulatedMicroBatchesAreOneBatch) {
    for (const char* algorithm : {"sync_sgd", "local_sgd", "dga", "adasum", "selsync", "zero_sgd"}) {
        const auto whole = train(logisticDigits(algorithm, table({{"batch_size", integer(12)}})));
        const auto parts =
            train(logisticDigits(algorithm, table({{"batch_size", integer(4)}, {"accumulate", integer(3)}})));
        const auto& expected = whole[1].sink.metrics.at("train/loss");
        const auto& losses = parts[1].sink.metrics.at("train/loss");
        ASSERT_EQ(losses.size(), expected.size()) << algorithm;
        for (std::size_t k = 0; k < losses.size(); ++k) {
            EXPECT_NEAR(losses[k].value, expected[k].value, 1e-10) << algorithm << ", step " << k + 1;
            EXPECT_EQ(losses[k].samples, expected[k].samples) << algorithm;
            EXPECT_EQ(losses[k].bytesSent, expected[k].bytesSent) << algorithm << " communicates once a step";
        }
    }
}

// The buckets leave during the last backward pass, so that what is exposed of them stays as it was.
TEST(WorkerLoop, AccumulationTakesItsTimeOnTheVirtualCluster) {
    const auto stepSeconds = [](const char* mode, std::int64_t accumulate) {
        return inChildProcess([&]() -> std::vector<double> {
                   const auto records = trainVirtually(
                       table({{"algorithm", table({{"name", text("sync_sgd")}})},
                              {"model", table({{"name", text("lenet")}})},
                              // An epoch's last batch would be short.
                              {"data", table({{"name", text("mnist")}, {"drop_last", boolean(true)}})},
                              {"train", table({{"steps", integer(12)}, {"accumulate", integer(accumulate)}})},
                              {"cluster", table({{"backend", text("virtual")}, {"workers", integer(4)}})},
                              {"network", table({{"bandwidth", text("100Mbps")}, {"latency", text("50us")}})},
                              {"compute", table({{"step_time", text("6ms")}, {"mode", text(mode)}})}}));
                   return {meanStepSeconds(records[0])};
               })
            .at(0);
    };
    for (const char* mode : {"time-only", "maths"}) {
        EXPECT_NEAR(stepSeconds(mode, 3) - stepSeconds(mode, 1), 2 * 0.006, 1e-8) << mode;
    }
}

TEST(WorkerLoop, TheRateGrowsWithTheBatch) {
    QuadraticProblem problem{.workers = 2, .steps = 5, .rate = 0.05};
    Value scaled = problem.experiment({{"name", text("sync_sgd")}});
    Value train = *scaled.find("train");
    train.set("batch_size", integer(8));
    train.set("accumulate", integer(2));
    train.set("reference_batch", integer(16));  // of 8 × 2 × 2 samples
    scaled.set("train", std::move(train));
    problem.rate = 0.1;
    expectSame(recorded(test::train(scaled)), recorded(test::train(problem.experiment({{"name", text("sync_sgd")}}))),
               1e-12);
}

// The optimiser's gradient is clipped, which is the mean gradient.
TEST(WorkerLoop, ClipsTheMeanGradient) {
    const QuadraticProblem problem{.workers = 3, .steps = 9, .rate = 0.1, .momentum = 0};
    Value document = problem.experiment({{"name", text("sync_sgd")}});
    Value train = *document.find("train");
    train.set("gradient_clip", number(0.5));
    document.set("train", std::move(train));
    const Trajectory expected = serial(
        problem, [](std::int64_t, Workers&) {},
        [](Workers& gradients) {
            Vec clipped = mean(gradients);
            double square = 0;
            for (const double element : clipped) square += element * element;
            for (double& element : clipped) element *= std::min(1.0, 0.5 / (std::sqrt(square) + 1e-6));
            gradients.assign(gradients.size(), clipped);
        });
    expectSame(recorded(test::train(document)), expected, 1e-12);
}

}  // namespace
}  // namespace dasgd::test
