#include "core/algorithms/server/parameter_server.h"

#include <gmock/gmock.h>

#include "core/base/check.h"
#include "tests/support/in_child_process.h"
#include "tests/support/resumed_runs.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// Experiment with `servers` servers besides the problem's workers; the weights of all workers start as the servers'.
Value served(const QuadraticProblem& problem, std::int64_t servers, std::int64_t staleness,
             const std::string& backend = "threads") {
    const Fields fields{{"staleness", integer(staleness)}};
    if (backend == "virtual") return servedVirtuallyBy(problem, "ssp", fields, {1}, servers);
    return servedBy(problem, "ssp", fields, servers);
}

TEST(ParameterServer, TheLastRanksServe) {
    const Roles roles = readExperiment(served({.workers = 3}, 2, 0)).value().roles();
    EXPECT_EQ(roles.trainers(), 3);
    for (const int rank : {0, 1, 2}) EXPECT_TRUE(roles.trains(Rank{rank}));
    for (const int rank : {3, 4}) EXPECT_FALSE(roles.trains(Rank{rank}));
}

TEST(ParameterServer, WithoutAWorkerOrWithoutAWeightForEachServerIsRefused) {
    Value alone = served({.workers = 2}, 2, 0);
    alone.find("cluster")->set("workers", integer(2));
    EXPECT_THAT(readExperiment(alone).error().message, HasSubstr("ssp leaves none of 2 ranks to train"));
    const auto algorithm = readExperiment(served({.workers = 2}, 4, 0)).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 6, .parameterShapes = {{3}}});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "servers");
    EXPECT_THAT(refused->message, HasSubstr("servers is 4, but the model has 3 weights to share out; allowed: 1 to 3"));
    EXPECT_FALSE(algorithm->check({.workers = 6, .parameterShapes = {{2, 1}, {2}}}));
}

// Each server evaluates with its shard; what workers hold is no part of it.
TEST(ParameterServer, TheServersWeightsAreEvaluatedOnEveryBackend) {
    const QuadraticProblem problem{.workers = 2, .steps = 9, .momentum = 0};
    const Vec end = serial(
                        problem, [](std::int64_t, Workers&) {}, [](Workers& g) { g.assign(2, mean(g)); })
                        .back()[0];
    double expected = 0;
    for (int i = 0; i < problem.workers; ++i) {
        const Vec gradient = problem.gradient(end, problem.target(i));
        for (std::size_t j = 0; j < end.size(); ++j) expected += 0.25 * (end[j] - problem.target(i)[j]) * gradient[j];
    }
    std::vector<std::vector<RankRecord>> runs;
    runs.push_back(trainVirtually(served(problem, 2, 0, "virtual")));
    runs.push_back(train(served(problem, 2, 0)));
    runs.push_back(train(served(problem, 2, 0), Backend::Gloo));
    for (const auto& records : runs) {
        for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
        EXPECT_NEAR(records[0].sink.metrics.at("eval/loss").back().value, expected, 1e-12);
        EXPECT_NEAR(records[0].sink.metrics.at("consensus/distance").back().value, 0, 1e-24);
    }
}

// Per step a worker sends the gradient, and a server its shard to every worker: 3 and 2 of 5 weights here.
TEST(ParameterServer, SendsTheWeightsOnceEachWay) {
    QuadraticProblem problem{.workers = 3, .steps = 7};
    problem.matrix = {{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}};
    problem.start = {0, 0, 0, 0, 0};
    Value document = served(problem, 2, 0);
    document.find("model")->set("targets", matrix({{1, 2, 3, 4, 5}, {5, 4, 3, 2, 1}, {0, 0, 1, 0, 0}}));
    const auto records = train(document);
    constexpr std::int64_t kBytes = 8;
    for (const std::size_t worker : {0, 1, 2}) {
        EXPECT_EQ(records[worker].sink.metrics.at("train/loss").back().bytesSent, 7 * 5 * kBytes);
    }
    EXPECT_EQ(records[3].sink.metrics.at("algorithm/gradients").back().bytesSent, 7 * 3 * 2 * kBytes);
    EXPECT_EQ(records[4].sink.metrics.at("algorithm/gradients").back().bytesSent, 7 * 3 * 3 * kBytes);
}

TEST(ParameterServer, InTimeOnlySendsAsMuchAndTakesItsTime) {
    constexpr std::int64_t kLenet = 61'706 * 4;
    const auto records = trainVirtually(table(
        {{"algorithm", table({{"name", text("ssp")}, {"staleness", integer(0)}})},
         {"model", table({{"name", text("lenet")}})},
         {"data", table({{"name", text("mnist")}})},
         {"train", table({{"steps", integer(20)}, {"batch_size", integer(8)}})},
         {"cluster", table({{"backend", text("virtual")}, {"workers", integer(3)}})},
         {"network", gigabit()},
         {"compute",
          table({{"mode", text("time-only")}, {"step_time", text("20ms")}, {"memory_bandwidth", text("1000TB/s")}})}}));
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    const auto& progress = records[0].sink.metrics.at("train/step_ms").back();
    EXPECT_EQ(progress.bytesSent, 20 * kLenet);
    const auto& served = records[2].sink.metrics.at("timing/served_steps");
    ASSERT_EQ(served.size(), 1U) << "rank 2, the server, records nothing else";
    EXPECT_EQ(served[0].bytesSent, 20 * 2 * kLenet) << "its weights to each of two workers";
    EXPECT_EQ(served[0].value, 20);
    EXPECT_FALSE(records[0].sink.metrics.contains("timing/served_steps"));
    // Two workers share the server's link, both ways: a push and a pull of S at half its bandwidth.
    const double transfer = 2 * (2 * kLenet / kBytesPerSecond);
    EXPECT_GE(progress.value, 1e3 * (0.020 + 0.999 * transfer));
    EXPECT_LT(progress.value, 1e3 * (0.020 + 1.1 * transfer + 8 * kLatency));
    EXPECT_EQ(overlapOf(records[0]).hidden, 0);
}

// Rank 1, a worker, is gone for good: the ranks that wait for it name it.
TEST(ParameterServer, AWorkerThatIsGoneEndsTheRunAndIsNamed) {
    Value document = served({.workers = 2, .steps = 40}, 1, 0, "virtual");
    document.set("faults", table({{"hosts", matrix({{1, 0.02}})}}));
    document.find("cluster")->set("timeout_s", number(5));
    const auto records = trainVirtually(document);
    EXPECT_THAT(records[1].outcome.error, HasSubstr("its host failed at 0.02 s and does not come back"));
    EXPECT_THAT(records[0].outcome.error, AllOf(HasSubstr("rank 1: its host failed"),
                                                HasSubstr("rank 2, a server, sends them once it has the gradients")));
    EXPECT_THAT(records[2].outcome.error, HasSubstr("has come from rank 1"));
}

// Two settings that are the same rule, in simulated time.
struct SameRule {
    std::string one;
    Fields ones;
    std::string other;
    Fields others;
    bool shares = false;  // the other's workers share the work too
};
std::ostream& operator<<(std::ostream& to, const SameRule& same) { return to << same.one << "_" << same.other; }

class SameServers : public ::testing::TestWithParam<SameRule> {};

TEST_P(SameServers, TakeTheSameWayInTheSameSimulatedTime) {
    const QuadraticProblem problem{.workers = 4, .steps = 120, .rate = 0.01, .momentum = 0.5, .weightDecay = 0.01};
    const std::vector<double> factors{1, 1.7, 1.23, 1.41};
    const auto& [one, ones, other, others, shares] = GetParam();
    // Weights of every rank after each of its steps, and instants of everything.
    const auto numbersOf = [](const Value& document) {
        return inChildProcess([&] {
            std::vector<double> all;
            for (const RankRecord& record : trainVirtually(document)) {
                DASGD_CHECK(record.outcome.error.empty());
                for (const auto& point : record.sink.metrics.at("weight/0")) all.push_back(point.value);
                for (const Span& span : record.sink.spans) {
                    all.insert(all.end(), {static_cast<double>(span.start), static_cast<double>(span.end)});
                }
            }
            return all;
        });
    };
    Value compared = servedVirtuallyBy(problem, other, others, factors);
    if (shares) compared.find("train")->set("work", text("shared"));
    const auto numbers = numbersOf(servedVirtuallyBy(problem, one, ones, factors));
    EXPECT_GT(numbers.size(), 5U * 120);
    EXPECT_EQ(numbers, numbersOf(compared)) << "to the last bit and the nanosecond";
}

INSTANTIATE_TEST_SUITE_P(
    Identities, SameServers,
    ::testing::Values(SameRule{"async_sgd", {}, "ssp", {{"staleness", integer(1'000'000)}}},
                      SameRule{"psp", {{"sample", integer(0)}}, "async_sgd", {}},
                      SameRule{"psp", {{"sample", integer(2)}, {"staleness", integer(1'000'000)}}, "async_sgd", {}},
                      SameRule{"psp", {{"sample", integer(4)}, {"staleness", integer(3)}}, "ssp", {}},
                      SameRule{"dssp", {{"extra", integer(0)}}, "ssp", {{"staleness", integer(3)}}},
                      SameRule{"dssp", {{"extra", integer(0)}, {"bounded", boolean(true)}}, "ssp", {}},
                      SameRule{"sync_switch", {}, "async_sgd", {}},
                      SameRule{"sync_switch",
                               {{"sync_steps", integer(120)}, {"sync_rate", number(1)}},
                               "ssp",
                               {{"staleness", integer(0)}}}));

// The same of rules by which workers share the work anyway.
INSTANTIATE_TEST_SUITE_P(
    SharedIdentities, SameServers,
    ::testing::Values(SameRule{"k_async", {{"gradients", integer(1)}}, "async_sgd", {}, true},
                      SameRule{"k_async", {{"gradients", integer(4)}}, "ssp", {{"staleness", integer(0)}}, true},
                      SameRule{"backup_workers", {{"backup", integer(0)}}, "ssp", {{"staleness", integer(0)}}, true},
                      SameRule{"elastic_bsp",
                               {{"lookahead", integer(1)}, {"monitor", integer(0)}},
                               "ssp",
                               {{"staleness", integer(0)}},
                               true}));

// The optimiser of a server has state for its shard alone.
TEST(ParameterServer, IsResumedWithTheMomentumOfEachShard) {
    const QuadraticProblem problem{.workers = 2, .steps = 20};
    expectSameModelAfterStops(TrainedOn::Threads, served(problem, 2, 0), {7});
}

class OneWorker : public ::testing::TestWithParam<std::string> {};

TEST_P(OneWorker, IsSgd) {
    const QuadraticProblem problem{.workers = 1, .steps = 50, .weightDecay = 0.01, .nesterov = true};
    Fields fields;
    if (GetParam() == "psp") fields = {{"sample", integer(1)}};
    if (GetParam() == "k_async") fields = {{"gradients", integer(1)}};
    if (GetParam() == "async_easgd") fields = {{"pull", number(0)}};
    if (GetParam() == "backup_workers") fields = {{"backup", integer(0)}};
    expectSame(workersOf(train(servedBy(problem, GetParam(), fields)), problem),
               serial(problem, [](std::int64_t, Workers&) {}), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Servers, OneWorker,
                         ::testing::Values("async_sgd", "psp", "dssp", "sync_switch", "k_async", "backup_workers",
                                           "elastic_bsp", "async_saga", "async_easgd"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd::test
