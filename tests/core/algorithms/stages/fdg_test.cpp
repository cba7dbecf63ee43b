// Fully decoupled learning with delayed gradients; the formula and everything that it shares with dsp_layers is in
// delayed_stages_test.cpp.
#include <gtest/gtest.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

TEST(Fdg, ShrinksGradientsAtEveryStageThatTheyPass) {
    const StagedRun run{.algorithm = "fdg",
                        .fields = {{"lr_shrink", number(0.5)}},
                        .workers = 3,
                        .stages = 3,
                        .hidden = {7, 6},
                        .steps = 30};
    const auto experiment = readExperiment(run.document()).value();
    const Trajectory expected = SerialStages{.keepsWeights = true, .shrink = 0.5}.train(experiment, run.rate);
    expectSame(wholeWeights(train(run.document()), 3), expected, 1e-12);
    EXPECT_NE(SerialStages{.keepsWeights = true}.train(experiment, run.rate).back(), expected.back());
}

// Optimisers that step parameter by parameter, and those that step the flat weights.
TEST(Fdg, KeepsTheWeightsOfAPassFromAnyOptimizer) {
    for (const char* optimizer : {"sgd", "adam", "lars", "lamb"}) {
        Value document = StagedRun{.algorithm = "fdg", .workers = 3, .stages = 3}.document();
        document.set("optimizer", table({{"name", text(optimizer)}}));
        for (const RankRecord& record : train(document)) EXPECT_EQ(record.outcome.error, "") << optimizer;
    }
}

const AlgorithmTrial::Add kFdgTrial{
    {.algorithm = "fdg",
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .snapshotPasses = 0,
     .mergePasses = 0,
     .identities = {{.with = {}, .algorithm = "pipeline"}}}};

}  // namespace
}  // namespace dasgd::test
