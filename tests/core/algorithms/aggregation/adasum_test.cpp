#include <gmock/gmock.h>

#include <cmath>
#include <memory>
#include <numeric>

#include "tests/support/algorithm_trials.h"
#include "tests/support/driven_algorithm.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::HasSubstr;

const Fields kAdasum{{"name", text("adasum")}};

double productOf(const Vec& a, const Vec& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// (1 − a·b/(2‖a‖²))·a + (1 − a·b/(2‖b‖²))·b
Vec adasumOfTwo(const Vec& a, const Vec& b) {
    const auto factor = [&](const Vec& x) {
        return productOf(x, x) < 1.4916681462400413e-154 ? 1 : 1 - productOf(a, b) / (2 * productOf(x, x));
    };
    Vec sum(a.size());
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] = factor(a) * a[j] + factor(b) * b[j];
    return sum;
}

// Pairs of neighbours, until one is left.
Vec adasumOf(Workers changes) {
    while (changes.size() > 1) {
        Workers half;
        for (std::size_t i = 0; i < changes.size(); i += 2) half.push_back(adasumOfTwo(changes[i], changes[i + 1]));
        changes = half;
    }
    return changes[0];
}

class AdasumOracle : public testing::TestWithParam<std::tuple<Backend, int>> {};

TEST_P(AdasumOracle, AddsTheStepsOfAllWorkersPairByPair) {
    const auto& [backend, workers] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 60, .rate = 0.03, .momentum = 0.8, .weightDecay = 0.01, .nesterov = true};
    Vec before = problem.start;
    const Trajectory expected = serial(problem, [&](std::int64_t, Workers& w) {
        Workers changes = w;
        for (Vec& change : changes) {
            for (std::size_t j = 0; j < change.size(); ++j) change[j] -= before[j];
        }
        const Vec sum = adasumOf(changes);
        for (std::size_t j = 0; j < before.size(); ++j) before[j] += sum[j];
        w.assign(w.size(), before);
    });
    const Trajectory got = trained(problem, kAdasum, backend);
    expectSame(got, expected, 1e-12);
    for (const Workers& step : got) {
        for (const Vec& rank : step) EXPECT_EQ(rank, step[0]) << "to the last bit";
    }
}

INSTANTIATE_TEST_SUITE_P(Sizes, AdasumOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 2, 4)));
// Eight ranks share three weights: some halves are empty, and some exchanges go one way.
INSTANTIATE_TEST_SUITE_P(MoreRanksThanWeights, AdasumOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(8)));

TEST(Adasum, OverGlooHasTheBitsOfThreads) {
    const QuadraticProblem problem{.workers = 4, .steps = 60, .rate = 0.03};
    expectSame(trained(problem, kAdasum, Backend::Gloo), trained(problem, kAdasum), 0);
}

// Weights of the last rank after a step that changed those of rank r from 0 by `changes[r]`: two elements of one
// parameter, and one of another. With them the bytes that all ranks have sent.
struct AdasumStep {
    Vec weights = Vec(3);
    std::int64_t bytes = 0;
};
AdasumStep adasumStepOf(const Workers& changes) {
    AdasumStep step;
    std::mutex mutex;
    driveAlgorithm(kAdasum, static_cast<int>(changes.size()), [&](StepContext& context, Algorithm& algorithm) {
        at::Tensor weights = context.params().weights();
        const Vec& change = changes[static_cast<std::size_t>(context.comm().rank().value())];
        weights.zero_();
        algorithm.start(context);
        context.moveTo(1, 0.1);
        algorithm.afterBackward(context);
        weights.copy_(torch::tensor(change, torch::kFloat64));
        algorithm.afterStep(context);
        const std::lock_guard lock(mutex);
        std::copy_n(weights.const_data_ptr<double>(), 3, step.weights.begin());
        step.bytes += context.comm().bytesSent();
    });
    return step;
}

TEST(Adasum, EqualStepsAreOneStep) {
    const Vec a{0.3, -0.7, 0.11};
    EXPECT_EQ(adasumStepOf({a, a}).weights, a);
    EXPECT_EQ(adasumStepOf(Workers(8, a)).weights, a);
}

TEST(Adasum, OrthogonalStepsAreAddedAndParallelOnesAveragedInEachParameter) {
    EXPECT_EQ(adasumStepOf({{2, 1, 1}, {-1, 2, 3}}).weights, (Vec{1, 3, 2}));
    EXPECT_EQ(adasumStepOf({{2, 1, 0}, {4, 2, 5}}).weights, (Vec{3, 1.5, 5}));
    EXPECT_EQ(adasumStepOf({{2, 1, -1}, {-2, -1, 1}}).weights, (Vec{0, 0, 0}));
}

// The factor of a step whose squared norm is below √DBL_MIN is 1: the others would be sums of what has underflowed.
TEST(Adasum, StepsThatAreTooSmallAreAdded) {
    EXPECT_EQ(adasumStepOf({{1e-80, 0, 1e-70}, {1e-80, 0, 1e-70}}).weights, (Vec{2e-80, 0, 1e-70}));
    EXPECT_EQ(adasumStepOf({{0, 0, 0}, {1, 2, 3}}).weights, (Vec{1, 2, 3}));
}

TEST(Adasum, ItsOrderIsRanksThenPairsThenPairsOfPairs) {
    const Vec a{1, 0.5, 1}, b{0.2, -1, 1}, c{0.7, 0.4, -2}, d{-0.3, 0.9, 0.5};
    const auto expected = [](const Workers& changes) {
        Workers first, second;
        for (const Vec& change : changes) {
            first.push_back({change[0], change[1]});
            second.push_back({change[2]});
        }
        Vec all = adasumOf(first);
        all.push_back(adasumOf(second)[0]);
        return all;
    };
    for (const Workers& changes : {Workers{a, b, c, d}, Workers{a, c, b, d}}) {
        const Vec got = adasumStepOf(changes).weights, sum = expected(changes);
        for (std::size_t j = 0; j < sum.size(); ++j) EXPECT_NEAR(got[j], sum[j], 1e-14);
    }
    EXPECT_GT(std::abs(expected({a, b, c, d})[0] - expected({a, c, b, d})[0]), 1e-3) << "it is not associative";
}

// Halves there and back, as a ring sends, and three doubles a parameter, once in the first level, twice in the second.
TEST(Adasum, SendsHalvesAndThreeSumsOfEachParameter) {
    for (const int ranks : {1, 2, 4, 8}) {
        const int levels = static_cast<int>(std::lround(std::log2(ranks)));
        const std::int64_t sums = ranks * levels * (levels + 1) / 2 * (3 * 2 * 8);
        EXPECT_EQ(adasumStepOf(Workers(static_cast<std::size_t>(ranks), {1, 2, 3})).bytes,
                  2 * (ranks - 1) * 3 * 8 + sums);
    }
}

TEST(Adasum, RefusesNumbersOfWorkersThatAreNoPowerOfTwo) {
    const auto algorithm = readExperiment(QuadraticProblem{}.experiment(kAdasum)).value().makeAlgorithm();
    for (const int workers : {1, 2, 4, 64}) EXPECT_FALSE(algorithm->check({.workers = workers}));
    const auto refused = algorithm->check({.workers = 6});
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->field, "cluster.workers");
    EXPECT_THAT(refused->message, HasSubstr("set workers to a power of two, here 4 or 8"));
}

// Pair by pair of the changes of each parameter tensor.
at::Tensor adasumOf(const Vectors& changes, const std::vector<std::int64_t>& tensors) {
    if (changes.size() == 1) return changes[0];
    const std::size_t half = changes.size() / 2;
    const at::Tensor a = adasumOf({changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(half)}, tensors);
    const at::Tensor b = adasumOf({changes.begin() + static_cast<std::ptrdiff_t>(half), changes.end()}, tensors);
    std::vector<at::Tensor> parts;
    std::int64_t begin = 0;
    for (const std::int64_t size : tensors) {
        const at::Tensor x = a.narrow(0, begin, size), y = b.narrow(0, begin, size);
        const at::Tensor product = x.dot(y) / 2;
        parts.push_back(x * (1 - product / x.dot(x)) + y * (1 - product / y.dot(y)));
        begin += size;
    }
    return torch::cat(parts);
}

SerialRule addsByAdasum(const SerialView& view) {
    return {.weights = [&view, before = view.start](std::int64_t, Vectors& w) mutable {
        Vectors changes;
        for (const at::Tensor& each : w) changes.push_back(each - before);
        before = before + adasumOf(changes, view.tensors);
        w.assign(w.size(), before);
    }};
}

const AlgorithmTrial::Add kAdasumTrial{{.algorithm = "adasum",
                                        .rule = &addsByAdasum,
                                        .mergePasses = 56,
                                        .deviceTolerance = 1e-6,  // of dot products
                                        .identities = {{.with = {}, .algorithm = "independent", .workers = {1}}}}};

}  // namespace
}  // namespace dasgd::test
