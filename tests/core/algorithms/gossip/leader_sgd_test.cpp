#include <gmock/gmock.h>

#include <deque>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

struct Leading {
    std::int64_t period = 8, groupPeriod = 4, groups = 1, window = 0;
    double c2 = 0.2, c1 = 0.1, p2 = 0.3, p1 = 0.15;
    [[nodiscard]] Fields fields() const {
        return {{"name", text("leader_sgd")},
                {"period", integer(period)},
                {"group_period", integer(groupPeriod)},
                {"groups", integer(groups)},
                {"pull", number(c2)},
                {"group_pull", number(c1)},
                {"step_pull", number(p2)},
                {"group_step_pull", number(p1)},
                {"loss_window", integer(window)}};
    }
};

// ½(w − b)ᵀA(w − b), which the quadratic model trains on.
double lossOf(const QuadraticProblem& problem, const Vec& w, const Vec& b) {
    const Vec gradient = problem.gradient(w, b);
    double sum = 0;
    for (std::size_t j = 0; j < w.size(); ++j) sum += 0.5 * (w[j] - b[j]) * gradient[j];
    return sum;
}

void pull(Vec& x, const Vec& to, double share) {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] += share * (to[j] - x[j]);
}

// The rule in plain doubles. The loss of a step is that of the weights before it.
Trajectory serialLeaders(const QuadraticProblem& problem, const Leading& s) {
    const auto size = static_cast<std::size_t>(problem.workers);
    const bool grouped = s.groups > 1 && s.groupPeriod < s.period;
    const std::size_t perGroup = size / static_cast<std::size_t>(s.groups);
    const auto window = static_cast<std::size_t>(s.window > 0 ? s.window : grouped ? s.groupPeriod : s.period);
    std::vector<std::deque<double>> losses(size);
    Vec global = problem.start;
    Workers local(size, problem.start), before(size, problem.start);
    const auto meanLoss = [&](std::size_t i) {
        double sum = 0;
        for (const double loss : losses[i]) sum += loss / static_cast<double>(losses[i].size());
        return sum;
    };
    const auto best = [&](std::size_t first, std::size_t end) {
        std::size_t least = first;
        for (std::size_t i = first; i < end; ++i) least = meanLoss(i) < meanLoss(least) ? i : least;
        return least;
    };
    return serial(problem, [&](std::int64_t k, Workers& x) {
        for (std::size_t i = 0; i < size; ++i) {
            losses[i].push_back(lossOf(problem, before[i], problem.target(static_cast<int>(i))));
            if (losses[i].size() > window) losses[i].pop_front();
            pull(x[i], global, s.p2 / static_cast<double>(s.period));
            if (grouped) pull(x[i], local[i], s.p1 / static_cast<double>(s.groupPeriod));
        }
        if (grouped && k % s.groupPeriod == 0) {
            for (std::size_t first = 0; first < size; first += perGroup) {
                const Vec leader = x[best(first, first + perGroup)];
                for (std::size_t i = first; i < first + perGroup; ++i) {
                    local[i] = leader;
                    pull(x[i], leader, s.c1);
                }
            }
        }
        if (k % s.period == 0) {
            global = x[best(0, size)];
            for (Vec& each : x) pull(each, global, s.c2);
        }
        before = x;
    });
}

TEST(LeaderSgd, PullsTheWorkersToTheBestOfThem) {
    const QuadraticProblem problem{.workers = 6, .steps = 60, .rate = 0.03};
    for (const Leading& setting : {Leading{}, Leading{.groups = 2}, Leading{.groups = 3, .window = 2},
                                   Leading{.period = 4, .groupPeriod = 4, .groups = 2}}) {
        for (const Backend backend : oracleBackends()) {
            expectSame(recorded(train(problem.experiment(setting.fields()), backend)), serialLeaders(problem, setting),
                       1e-12);
        }
    }
}

TEST(LeaderSgd, WithoutPullsIsIndependentAndWithTheWholePullAllAreTheLeader) {
    const QuadraticProblem problem{.workers = 4, .steps = 33};
    expectSame(recorded(train(problem.experiment(Leading{.groups = 2, .c2 = 0, .c1 = 0, .p2 = 0, .p1 = 0}.fields()))),
               recorded(train(problem.experiment({{"name", text("independent")}}))), 0);
    const Trajectory whole = recorded(train(problem.experiment(Leading{.c2 = 1, .p2 = 0}.fields())));
    for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(whole[32][i], whole[32][0]);
    EXPECT_NE(whole[33][1], whole[33][0]);
}

TEST(LeaderSgd, GroupsThatDoNotFitAreRefused) {
    const auto algorithm =
        readExperiment(QuadraticProblem{}.experiment(Leading{.groups = 3}.fields())).value().makeAlgorithm();
    EXPECT_THAT(algorithm->check({.workers = 4})->message, HasSubstr("groups is 3, which does not divide 4 workers"));
    const auto period = readExperiment(QuadraticProblem{}.experiment(Leading{.groupPeriod = 3, .groups = 2}.fields()));
    ASSERT_FALSE(period);
    EXPECT_THAT(period.error().message, HasSubstr("group_period is 3, which does not divide the period of 8 steps"));
}

// One group, τ_g = 4, c₂ = 0.1, p₂ = 0.2.
SerialRule pullsToTheBest(const SerialView& view) {
    return {.weights = [&view, leader = view.start](std::int64_t k, Vectors& x) mutable {
        for (at::Tensor& each : x) each = each + (leader - each) * (0.2 / 4);
        if (k % 4 != 0) return;
        const auto lossOf = [&](std::size_t i) {
            double sum = 0;
            for (auto step = view.workerLosses.end() - 4; step != view.workerLosses.end(); ++step) sum += (*step)[i];
            return sum;
        };
        std::size_t best = 0;
        for (std::size_t i = 1; i < x.size(); ++i) best = lossOf(i) < lossOf(best) ? i : best;
        leader = x[best];
        for (at::Tensor& each : x) each = each + (leader - each) * 0.1;
    }};
}

const AlgorithmTrial::Add kLeaderSgdTrial{{.algorithm = "leader_sgd",
                                           .fields = {{"period", integer(4)}, {"step_pull", number(0.2)}},
                                           .rule = &pullsToTheBest,
                                           .mergePasses = 2,
                                           .hostReads = HostReads::EachStep}};

}  // namespace
}  // namespace dasgd::test
