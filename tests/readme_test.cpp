// The README's example algorithm and its test, compiled from the README's own text, do what it says.
#include <gtest/gtest.h>

#include <bit>

#include "core/algorithms/algorithm.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

TEST(Readme, ExampleIsKnownWithItsField) {
    const AlgorithmRegistry::Entry* entry = AlgorithmRegistry::find("readme_doubling");
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->fields.size(), 1U);
    EXPECT_EQ(entry->fields[0].name, "first");
    EXPECT_EQ(entry->fields[0].spec.unit, "steps");
}

TEST(Readme, ExampleAveragesAtPowersOfTwo) {
    const QuadraticProblem problem{.workers = 4};
    const Trajectory expected = serial(problem, [](std::int64_t k, Workers& w) {
        if (std::has_single_bit(static_cast<std::uint64_t>(k))) w.assign(w.size(), mean(w));
    });
    expectSame(recorded(train(problem.experiment({{"name", text("readme_doubling")}}))), expected, 1e-12);
}

TEST(Readme, TheTestOfTheExampleRegistersItsSerialRule) {
    const auto trials = trialsThat([](const AlgorithmTrial& trial) { return trial.algorithm == "readme_doubling"; });
    ASSERT_EQ(trials.size(), 1U);
    Vectors workers{torch::tensor({1.0}), torch::tensor({3.0})};
    const SerialView view{.start = torch::zeros({1}), .workers = 2};
    const SerialRule rule = trials[0].rule(view);
    rule.weights(3, workers);
    EXPECT_EQ(workers[0].item<double>(), 1);
    rule.weights(4, workers);
    EXPECT_EQ(workers[0].item<double>(), 2);
}

}  // namespace
}  // namespace dasgd::test
