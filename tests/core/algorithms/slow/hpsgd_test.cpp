#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

// Sums of gradients, as the authors' code has them: x ← x − η⟨G of the round before⟩, w ← x, and this round's G leaves.
TEST(Hpsgd, AddsUpGradientsOfPlainSgd) {
    const QuadraticProblem problem{.workers = 3, .steps = 40, .rate = 0.05, .momentum = 0};
    constexpr std::int64_t kPeriod = 4;
    Vec x = problem.start, late(x.size(), 0);
    Workers w(3, x);
    Workers sums(3, Vec(x.size(), 0));
    Trajectory expected{w};
    for (std::int64_t k = 1; k <= problem.steps; ++k) {
        for (std::size_t i = 0; i < w.size(); ++i) {
            const Vec gradient = problem.gradient(w[i], problem.target(static_cast<int>(i)));
            for (std::size_t j = 0; j < x.size(); ++j) {
                sums[i][j] += gradient[j];
                w[i][j] -= problem.rate * gradient[j];
            }
        }
        if (k % kPeriod == 0) {
            for (std::size_t j = 0; j < x.size(); ++j) x[j] -= problem.rate * late[j];
            late = mean(sums);
            sums.assign(sums.size(), Vec(x.size(), 0));
            w.assign(w.size(), x);
        }
        expected.push_back(w);
    }
    expectSame(trained(problem, {{"name", text("hpsgd")}}), expected, 1e-12);
}

TEST(Hpsgd, IsRefusedWithAnOptimizerThatKeepsState) {
    const auto hpsgd = readExperiment(QuadraticProblem{}.experiment({{"name", text("hpsgd")}})).value().makeAlgorithm();
    const auto refused = hpsgd->check({.workers = 4, .optimizerState = 1});
    ASSERT_TRUE(refused);
    EXPECT_THAT(refused->message, testing::HasSubstr("momentum = 0"));
    EXPECT_FALSE(hpsgd->check({.workers = 4, .optimizerState = 0}));
}

// θ ← θ − (θ of the round before − its mean): what arrives a round late, from where that round began.
SerialRule addsUpARoundLate(const SerialView& view) {
    return {.weights = [theta = view.start, began = view.start, late = view.start](std::int64_t k, Vectors& w) mutable {
        if (k % 4 != 0) return;
        const auto next = theta - (began - late);
        late = meanOf(w);
        began = theta;
        theta = next;
        w.assign(w.size(), theta);
    }};
}

const AlgorithmTrial::Add kHpsgdTrial{{.algorithm = "hpsgd",
                                       .fields = {{"period", integer(4)}},
                                       .rule = &addsUpARoundLate,
                                       // The pass of the outer step forms what leaves.
                                       .snapshotPasses = 0,
                                       .identities = {{.with = {{"period", integer(4)}},
                                                       .algorithm = "co2",
                                                       .fields = {{"period", integer(4)},
                                                                  {"slow_momentum", number(0)},
                                                                  {"slow_learning_rate", number(1)},
                                                                  {"from_present", boolean(false)}}}}}};

}  // namespace
}  // namespace dasgd::test
