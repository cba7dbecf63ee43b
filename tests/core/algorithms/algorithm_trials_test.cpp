// Trials that every algorithm's test registers for the tests over the registry (tests/support/algorithm_trials.h).
#include "tests/support/algorithm_trials.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

TEST(AlgorithmTrials, EveryAlgorithmHasOneThatEveryTestCanTake) {
    std::set<std::string> names, known;
    for (const AlgorithmTrial& trial : AlgorithmTrial::list()) {
        EXPECT_TRUE(names.insert(trial.name()).second) << "two trials are called " << trial;
        ASSERT_TRUE(AlgorithmRegistry::find(trial.algorithm)) << trial << " is of no algorithm";
        if (trial.what.empty()) known.insert(trial.algorithm);
    }
    for (const std::string& algorithm : AlgorithmRegistry::names()) {
        EXPECT_TRUE(known.contains(algorithm)) << algorithm << ": its test, tests/core/algorithms/…/" << algorithm
                                               << "_test.cpp, registers no AlgorithmTrial";
    }
}

TEST(AlgorithmTrials, EveryAlgorithmThatTrainsHasASerialRule) {
    for (const AlgorithmTrial& trial : trialsThatTrain()) {
        EXPECT_TRUE(trial.rule || !trial.what.empty() || !trial.repeats) << trial << " has no serial rule";
    }
}

// Settings with which algorithms are each other, on workers whose minima differ.
class Identities : public testing::TestWithParam<AlgorithmTrial> {};

TEST_P(Identities, AreTheSameTraining) {
    for (const TrialIdentity& identity : GetParam().identities) {
        for (const int workers : identity.workers) {
            const QuadraticProblem problem{.workers = workers, .steps = 60, .weightDecay = 0.01, .nesterov = true};
            const auto way = [&](const std::string& name, const Fields& fields) {
                Fields all{{"name", text(name)}};
                all.insert(all.end(), fields.begin(), fields.end());
                return recorded(train(problem.experiment(all)));
            };
            const Trajectory one = way(GetParam().algorithm, identity.with);
            EXPECT_NE(one.front(), one.back()) << "it trains";
            SCOPED_TRACE(identity.algorithm + " among " + std::to_string(workers));
            expectSame(one, way(identity.algorithm, identity.fields), identity.tolerance);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Registry, Identities, testing::ValuesIn(trialsThat([](const AlgorithmTrial& trial) {
                             return !trial.identities.empty();
                         })),
                         trialName);

}  // namespace
}  // namespace dasgd::test
