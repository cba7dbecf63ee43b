// Workers and servers as the worker loop runs them, held to a parameter server in plain doubles. On the virtual cluster
// the gradients' order is read off the messages; the rest follows from it.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

constexpr std::int64_t kUnbounded = 1'000'000;

Value servedStale(const QuadraticProblem& problem, std::int64_t staleness, std::int64_t servers = 1) {
    return servedBy(problem, "ssp", {{"staleness", integer(staleness)}}, servers);
}

// Rank i takes `factors[i]` times 3 ms a step.
Value servedVirtually(const QuadraticProblem& problem, std::int64_t staleness, const std::vector<double>& factors,
                      std::int64_t servers = 1) {
    return servedVirtuallyBy(problem, "ssp", {{"staleness", integer(staleness)}}, factors, servers);
}

class SspWithoutLead : public testing::TestWithParam<std::tuple<Backend, int, int>> {};

TEST_P(SspWithoutLead, IsBulkSynchronous) {
    const auto& [backend, workers, servers] = GetParam();
    const QuadraticProblem problem{.workers = workers, .steps = 200, .weightDecay = 0.01, .nesterov = true};
    const auto records = train(servedStale(problem, 0, servers), backend);
    expectSame(workersOf(records, problem), synchronous(problem), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, SspWithoutLead,
                         testing::Combine(testing::ValuesIn(suiteBackends()), testing::Values(1, 2, 4),
                                          testing::Values(1, 2)));

TEST(Ssp, WithoutLeadIsBulkSynchronousInSimulatedTimeTooWhateverFailsAndComesBack) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .weightDecay = 0.01, .nesterov = true};
    Value document = servedVirtually(problem, 0, {1, 1.7, 1.2}, 2);
    document.set("faults", table({{"hosts", matrix({{1, 0.004, 0.1}, {5, 0.02, 0.03}})},
                                  {"links", matrix({{0, 0.006, 0.05}})},
                                  {"link_mtbf", text("20ms")},
                                  {"link_mttr", text("1ms")}}));
    expectSame(workersOf(trainVirtually(document), problem), synchronous(problem), 1e-12);
}

class SspWithOptimizer : public testing::TestWithParam<std::tuple<const char*, int>> {};

// Holds for shards of a parameter too, and for optimisers with norms where one server has all of the parameter.
TEST_P(SspWithOptimizer, StepsAsSynchronousSgdDoes) {
    const auto& [optimizer, servers] = GetParam();
    const QuadraticProblem problem{.workers = 2, .steps = 30};
    Value server = servedStale(problem, 0, servers), synchronous = problem.experiment({{"name", text("sync_sgd")}});
    for (Value* document : {&server, &synchronous}) {
        document->set("optimizer", table({{"name", text(optimizer)}, {"weight_decay", number(0.01)}}));
        if (servers == 1) document->find("train")->set("gradient_clip", number(0.5));
    }
    const Trajectory expected = workersOf(train(synchronous), problem);
    ASSERT_NE(expected.back(), expected.front()) << "it moves";
    expectSame(workersOf(train(server), problem), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Optimizers, SspWithOptimizer,
                         testing::Values(std::tuple("sgd", 1), std::tuple("sgd", 2), std::tuple("adam", 1),
                                         std::tuple("adam", 2), std::tuple("adamw", 2), std::tuple("lars", 1),
                                         std::tuple("lamb", 1)));

// With one worker nobody is ahead, so that any bound gives the same.
class SspOfOneWorker : public testing::TestWithParam<std::tuple<Backend, std::int64_t>> {};

TEST_P(SspOfOneWorker, IsSgd) {
    const auto& [backend, staleness] = GetParam();
    const QuadraticProblem problem{.workers = 1, .steps = 50, .weightDecay = 0.01, .nesterov = true};
    const Trajectory sgd = serial(problem, [](std::int64_t, Workers&) {});
    expectSame(workersOf(train(servedStale(problem, staleness, 2), backend), problem), sgd, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Bounds, SspOfOneWorker,
                         testing::Combine(testing::ValuesIn(suiteBackends()), testing::Values(0, 3, kUnbounded)));

// Workers in the order in which their gradients set out. A worker sends two messages a step; the earlier is the push.
std::vector<std::size_t> orderOfPushes(const std::vector<RankRecord>& records, int workers) {
    std::vector<std::pair<Ns, std::size_t>> pushes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(workers); ++i) {
        std::map<std::int64_t, Ns> first;
        for (const Span& span : records[i].sink.spans) {
            if (span.lane != Lane::Comm) continue;
            const auto [known, isNew] = first.try_emplace(span.step, span.start);
            known->second = std::min(known->second, span.start);
        }
        for (const auto& [step, start] : first) pushes.emplace_back(start, i);
    }
    std::sort(pushes.begin(), pushes.end());
    std::vector<std::size_t> order;
    for (const auto& push : pushes) order.push_back(push.second);
    return order;
}

// A parameter server that makes each gradient an update, and lets a worker that waits read once it is at most
// `staleness` ahead of the slowest.
struct SerialServer {
    const QuadraticProblem& problem;
    std::int64_t staleness;
    Vec w = problem.start;
    Vec velocity = {};
    std::int64_t furthest = 0;  // that a worker was ahead with a step it had finished
    std::int64_t furthestAtStart = 0;

    void update(const Vec& gradient) {
        const bool first = velocity.empty();
        velocity.resize(w.size());
        for (std::size_t j = 0; j < w.size(); ++j) {
            const double g = gradient[j] + problem.weightDecay * w[j];
            velocity[j] = first ? g : problem.momentum * velocity[j] + g;
            w[j] -= problem.rate * velocity[j];
        }
    }

    Trajectory replay(const std::vector<std::size_t>& order) {
        const auto workers = static_cast<std::size_t>(problem.workers);
        std::vector<std::vector<Vec>> read(workers, {problem.start});  // after each step
        std::vector<std::int64_t> clock(workers, 0);
        std::vector<bool> waits(workers, false);
        for (const std::size_t i : order) {
            EXPECT_FALSE(waits[i]) << "worker " << i << " pushed without weights";
            update(problem.gradient(read[i].back(), problem.target(static_cast<int>(i))));
            ++clock[i];
            waits[i] = true;
            const std::int64_t slowest = *std::min_element(clock.begin(), clock.end());
            furthest = std::max(furthest, clock[i] - slowest);
            for (std::size_t j = 0; j < workers; ++j) {
                if (!waits[j] || clock[j] - slowest > staleness) continue;
                furthestAtStart = std::max(furthestAtStart, clock[j] - slowest);
                waits[j] = false;
                read[j].push_back(w);
            }
        }
        Trajectory all;
        for (std::size_t k = 0; k < read[0].size(); ++k) {
            all.emplace_back();
            for (const auto& one : read) all.back().push_back(one.at(k));
        }
        return all;
    }
};

const QuadraticProblem kUneven{.workers = 3, .steps = 40, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01};
const std::vector<double> kFactors{1, 1.7, 1.23};

// Steps whose backward pass had ended by `instant`.
std::int64_t finishedBy(const RankRecord& record, Ns instant) {
    std::int64_t finished = 0;
    for (const Span& span : record.sink.spans) {
        if (span.kind == SpanKind::Backward && span.end <= instant) finished = std::max(finished, span.step);
    }
    return finished;
}

// The largest lead over the slowest worker with which a step began, by the clock.
std::int64_t largestLead(const std::vector<RankRecord>& records, int workers) {
    std::int64_t largest = 0;
    for (int i = 0; i < workers; ++i) {
        for (const Span& span : records[static_cast<std::size_t>(i)].sink.spans) {
            if (span.kind != SpanKind::Forward) continue;
            for (int j = 0; j < workers; ++j) {
                const std::int64_t other = finishedBy(records[static_cast<std::size_t>(j)], span.start);
                largest = std::max(largest, span.step - 1 - other);
            }
        }
    }
    return largest;
}

class SspLead : public testing::TestWithParam<std::int64_t> {};

TEST_P(SspLead, IsAtMostTheBoundAndReadsAreThoseOfTheSerialServer) {
    const std::int64_t staleness = GetParam();
    QuadraticProblem problem = kUneven;
    problem.workers = 4;
    problem.steps = 200;
    const auto records = trainVirtually(servedVirtually(problem, staleness, {1, 1.7, 1.23, 1.41}));
    SerialServer server{.problem = problem, .staleness = staleness};
    const Trajectory expected = server.replay(orderOfPushes(records, problem.workers));
    expectSame(workersOf(records, problem), expected, 1e-12);
    const std::int64_t lead = largestLead(records, problem.workers);
    if (staleness == kUnbounded) {
        EXPECT_GT(lead, 50) << "200 steps at 1.7 times the pace";
        EXPECT_GT(server.furthestAtStart, 50);
        return;
    }
    EXPECT_EQ(lead, staleness) << "the fast worker goes as far as it may";
    EXPECT_EQ(server.furthestAtStart, staleness);
    EXPECT_EQ(server.furthest, staleness + 1);
}

INSTANTIATE_TEST_SUITE_P(Bounds, SspLead, testing::Values(1, 3, kUnbounded));

// On real threads the order of gradients is not known, nor are the weights, but every gradient counts and all ranks end
// well.
class SspInRealTime : public testing::TestWithParam<std::tuple<Backend, std::int64_t>> {};

TEST_P(SspInRealTime, TakesEveryGradientOnce) {
    const auto& [backend, staleness] = GetParam();
    const QuadraticProblem problem{.workers = 3, .steps = 400, .rate = 0.02, .momentum = 0, .equalTargets = true};
    Value document = servedStale(problem, staleness, 2);
    document.find("train")->set("eval_every", integer(50));
    const auto records = train(document, backend);
    for (const RankRecord& record : records) EXPECT_EQ(record.outcome.error, "");
    for (const std::size_t server : {3, 4}) {
        double gradients = 0;
        for (const auto& point : records[server].sink.metrics.at("algorithm/gradients")) gradients += point.value;
        EXPECT_EQ(gradients, 3 * 400);
    }
    const auto& evaluated = records[0].sink.metrics.at("eval/loss");
    EXPECT_EQ(evaluated.size(), 9U);
    EXPECT_LT(evaluated.back().value, 1e-6 * evaluated.front().value) << "all to the one minimum";
}

INSTANTIATE_TEST_SUITE_P(Bounds, SspInRealTime,
                         testing::Combine(testing::ValuesIn(suiteBackends()), testing::Values(1, kUnbounded)));

// A target that is reached on the way. All ranks end at `step`, and no gradient is lost.
void expectEnded(const std::vector<RankRecord>& records, std::int64_t step) {
    for (const RankRecord& record : records) {
        EXPECT_EQ(record.outcome.error, "");
        EXPECT_EQ(record.outcome.kind, WorkerOutcome::Kind::Finished);
        EXPECT_EQ(record.outcome.step, step);
    }
    double gradients = 0;
    for (const auto& point : records.back().sink.metrics.at("algorithm/gradients")) gradients += point.value;
    EXPECT_EQ(gradients, static_cast<double>(3 * step)) << "of three workers";
}

class SspThatEndsEarly : public testing::TestWithParam<std::int64_t> {
protected:
    QuadraticProblem problem_{.workers = 3, .steps = 400, .rate = 0.02, .momentum = 0, .equalTargets = true};
    static void setTarget(Value& document) {
        Value& training = *document.find("train");
        training.set("eval_every", integer(10));
        training.set("target_loss", number(1));
        training.set("stop_at_target", boolean(true));
    }
};

TEST_P(SspThatEndsEarly, EndsWithTheEvaluationWhereRanksMeetForIt) {
    for (const Backend backend : suiteBackends()) {
        Value document = servedStale(problem_, GetParam(), 2);
        setTarget(document);
        const auto records = train(document, backend);
        const auto& reached = records[0].sink.metrics.at("run/target_reached");
        ASSERT_EQ(reached.size(), 1U);
        EXPECT_LT(reached[0].step, 400);
        expectEnded(records, reached[0].step);
    }
}

// A rank that has begun a step makes it; the other ranks and the server come after.
TEST_P(SspThatEndsEarly, EndsOnTheVirtualClusterWhereTheFurthestWorkerIs) {
    Value document = servedVirtually(problem_, GetParam(), kFactors);
    setTarget(document);
    const auto records = trainVirtually(document);
    const auto& reached = records[0].sink.metrics.at("run/target_reached");
    ASSERT_EQ(reached.size(), 1U);
    const std::int64_t end = records[0].outcome.step;
    EXPECT_GE(end, reached[0].step);
    if (GetParam() != kUnbounded) {
        EXPECT_LE(end, reached[0].step + GetParam() + 1);
    }
    expectEnded(records, end);
}

INSTANTIATE_TEST_SUITE_P(Bounds, SspThatEndsEarly, testing::Values(0, 3, kUnbounded));

// While a worker makes a step each of the other P − 1 adds its gradient.
TEST(Ssp, StalenessIsThatOfTheOthersGradients) {
    const QuadraticProblem problem{.workers = 4, .steps = 20, .rate = 0.01};
    const auto records = trainVirtually(servedVirtually(problem, kUnbounded, {1}));
    const auto& staleness = records[4].sink.metrics.at("staleness/updates");
    const auto& gradients = records[4].sink.metrics.at("algorithm/gradients");
    ASSERT_EQ(staleness.size(), 20U);
    EXPECT_EQ(staleness[0].value, 1.5) << "0, 1, 2 and 3 of equal weights";
    for (std::size_t k = 0; k < staleness.size(); ++k) {
        EXPECT_EQ(gradients[k].value, 4) << "step " << k + 1;
        if (k > 0) {
            EXPECT_EQ(staleness[k].value, 3) << "step " << k + 1;
        }
    }
}

// Rates are the workers' own where no bound holds them together, and one rank's for all where one does.
TEST(Ssp, WorkersThatRunApartRecordTheirOwnThroughput) {
    QuadraticProblem problem = kUneven;
    problem.steps = 200;
    const auto rates = [&](std::int64_t staleness) {
        return inChildProcess([&] {
            const auto records = trainVirtually(servedVirtually(problem, staleness, {1, 2, 1}));
            std::vector<double> all;
            for (const std::size_t worker : {0, 1}) {
                const auto& metrics = records[worker].sink.metrics;
                const double own = metrics.contains("timing/samples_per_s") ? 1 : 0;
                all.insert(all.end(),
                           {own, metrics.at("timing/seconds").back().value / metrics.at("timing/steps").back().value});
            }
            return all;
        });
    };
    const auto unbounded = rates(200), bounded = rates(3);
    ASSERT_EQ(unbounded.size(), 4U);
    ASSERT_EQ(bounded.size(), 4U);
    EXPECT_EQ(unbounded[0], 1);
    EXPECT_EQ(unbounded[2], 1);
    EXPECT_NEAR(unbounded[3] / unbounded[1], 2, 0.1);
    EXPECT_EQ(bounded[0], 0);
    EXPECT_EQ(bounded[2], 0);
    EXPECT_NEAR(bounded[3] / bounded[1], 1, 0.1) << "the fast ones wait for the slow one";
}

const AlgorithmTrial::Add kSspTrial{
    {.algorithm = "ssp",
     .fields = {{"staleness", integer(0)}},
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     // The server's: the mean of the gradients, and the step of an optimiser that may be any.
     .mergePasses = 2,
     // A server takes a gradient of each worker in a step, and each worker the weights.
     .messagesReceived = 4}};

}  // namespace
}  // namespace dasgd::test
