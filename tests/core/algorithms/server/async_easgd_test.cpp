#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "core/base/check.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/in_child_process.h"
#include "tests/support/served.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

Fields pulling(std::int64_t period, double pull) { return {{"period", integer(period)}, {"pull", number(pull)}}; }

// A worker's exchange, by the step that it follows, in the order in which the server took them.
std::vector<std::pair<int, std::int64_t>> exchangesOf(const std::vector<RankRecord>& records, int workers) {
    std::vector<std::tuple<Ns, int, std::int64_t>> arrivals;
    for (int worker = 0; worker < workers; ++worker) {
        std::map<std::int64_t, std::pair<Ns, Ns>>
            pushes;  // of each step: start and end of the message that sets out first
        for (const Span& span : records[static_cast<std::size_t>(worker)].sink.spans) {
            if (span.lane != Lane::Comm || span.step == 0) continue;
            const auto [known, isNew] = pushes.try_emplace(span.step, span.start, span.end);
            if (!isNew) known->second = std::min(known->second, std::pair(span.start, span.end));
        }
        for (const auto& [step, push] : pushes) arrivals.emplace_back(push.second, worker, step);
    }
    std::ranges::sort(arrivals);
    std::vector<std::pair<int, std::int64_t>> order;
    for (const auto& [at, worker, step] : arrivals) order.emplace_back(worker, step);
    return order;
}

// The centre and the workers in plain doubles, exchange after exchange in the order in which the engine made them:
// every worker's steps in between are its own, SGD with momentum.
class AsyncEasgdOnServers : public testing::TestWithParam<int> {};

TEST_P(AsyncEasgdOnServers, InSimulatedTimePullsEachWorkerAsItComes) {
    const int servers = GetParam();
    const QuadraticProblem problem{.workers = 3, .steps = 60, .rate = 0.05, .weightDecay = 0.01};
    constexpr std::int64_t kPeriod = 4;
    constexpr double kPull = 0.15;
    std::vector<double> factors{1, 2.3, 1.37};
    factors.resize(static_cast<std::size_t>(3 + servers), 1);
    const auto records =
        trainVirtually(servedVirtuallyBy(problem, "async_easgd", pulling(kPeriod, kPull), factors, servers));
    const auto order = exchangesOf(records, problem.workers);
    ASSERT_EQ(order.size(), 3U * 15);

    Vec centre = problem.start;
    Workers w(3, problem.start), velocity(3);
    Trajectory expected(61, Workers(3, problem.start));
    const auto stepOf = [&](std::size_t i) {
        const Vec gradient = problem.gradient(w[i], problem.target(static_cast<int>(i)));
        for (std::size_t j = 0; j < 3; ++j) {
            const double g = gradient[j] + problem.weightDecay * w[i][j];
            if (velocity[i].size() <= j) {
                velocity[i].push_back(g);
            } else {
                velocity[i][j] = problem.momentum * velocity[i][j] + g;
            }
        }
        for (std::size_t j = 0; j < 3; ++j) w[i][j] -= problem.rate * velocity[i][j];
    };
    std::vector<std::int64_t> lead;  // of worker 0 over the slow one, at its exchanges
    std::vector<std::int64_t> made(3, 0);
    for (const auto& [worker, step] : order) {
        const auto i = static_cast<std::size_t>(worker);
        ASSERT_EQ(step, made[i] + kPeriod);
        for (std::int64_t k = made[i] + 1; k <= step; ++k) {
            stepOf(i);
            expected[static_cast<std::size_t>(k)][i] = w[i];
        }
        made[i] = step;
        for (std::size_t j = 0; j < 3; ++j) {
            const double e = kPull * (w[i][j] - centre[j]);
            centre[j] += e;
            w[i][j] -= e;
        }
        expected[static_cast<std::size_t>(step)][i] = w[i];
        if (worker == 0) lead.push_back(step - made[1]);
    }
    EXPECT_GT(*std::ranges::max_element(lead), 2 * kPeriod) << "nobody waits for the slow worker";
    expectSame(workersOf(records, problem), expected, 1e-12);
    Vec served;
    for (int j = 0; j < 3; ++j) {
        // Of two servers the second holds two of three elements.
        const std::size_t holder = servers == 1 || j == 0 ? 3 : 4;
        served.push_back(records[holder].sink.metrics.at("weight/" + std::to_string(j)).back().value);
    }
    expectSame({{served}}, {{centre}}, 1e-12);
    // Leads are in steps, and whole rounds.
    double lead0 = 0;
    for (const auto& point : records[3].sink.metrics.at("staleness/lead")) {
        EXPECT_EQ(std::fmod(point.value, kPeriod), 0);
        lead0 = std::max(lead0, point.value);
    }
    EXPECT_GE(lead0, 2 * kPeriod);
}

INSTANTIATE_TEST_SUITE_P(Servers, AsyncEasgdOnServers, testing::Values(1, 2));

// Time alone takes as long as training does.
TEST(AsyncEasgd, InTimeOnlyTakesAsLongAsInTraining) {
    const auto endsOf = [](const char* mode) {
        return inChildProcess([&] {
            QuadraticProblem problem{.workers = 3, .steps = 24};
            Value document = servedVirtuallyBy(problem, "async_easgd", pulling(4, 0.1), {1, 1.7, 1.2, 1});
            document.find("compute")->set("mode", text(mode));
            document.find("compute")->set("memory_bandwidth", text("0.001MB/s"));
            document.find("record")->set("weights", boolean(false));
            std::vector<double> ends;
            for (const RankRecord& record : trainVirtually(document)) {
                DASGD_CHECK(record.outcome.error.empty());
                for (const Span& span : record.sink.spans) {
                    if (span.kind == SpanKind::Update || span.lane == Lane::Comm) {
                        ends.push_back(static_cast<double>(span.end - record.sink.spans.front().start));
                    }
                }
            }
            return ends;
        });
    };
    const auto trained = endsOf("maths");
    EXPECT_GT(trained.size(), 3U * 24);
    EXPECT_EQ(trained, endsOf("time-only"));
}

// Without a pull the workers are independent, and the centre stays where it is.
TEST(AsyncEasgd, WithoutPullWorkersAreIndependent) {
    const QuadraticProblem problem{.workers = 3, .steps = 40};
    const auto records = train(servedBy(problem, "async_easgd", pulling(2, 0), 2));
    expectSame(workersOf(records, problem), serial(problem, [](std::int64_t, Workers&) {}), 1e-12);
    for (std::size_t rank : {3U, 4U}) {
        for (std::size_t j = 0; j < 3; ++j) {
            EXPECT_EQ(records[rank].sink.metrics.at("weight/" + std::to_string(j)).back().value, problem.start[j]);
        }
    }
}

TEST(AsyncEasgd, SharedWorkAndARunWithoutAnExchangeAreRefused) {
    const auto algorithm =
        readExperiment(servedBy({.workers = 3}, "async_easgd", pulling(1, 0.3))).value().makeAlgorithm();
    const auto refused = algorithm->check({.workers = 4, .steps = 10, .sharesWork = true, .parameterShapes = {{3}}});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "train.work");
    const auto never =
        readExperiment(servedBy({.workers = 3}, "async_easgd", pulling(20, 0.3))).value().makeAlgorithm();
    EXPECT_THAT(never->check({.workers = 4, .steps = 10, .parameterShapes = {{3}}})->message,
                HasSubstr("period is 20"));
}

const AlgorithmTrial::Add kAsyncEasgdTrial{
    {.algorithm = "async_easgd", .fields = {{"period", integer(3)}, {"pull", number(0.2)}}, .repeats = false}};

}  // namespace
}  // namespace dasgd::test
