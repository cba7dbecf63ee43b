// Diversely stale parameters; the formula and everything that it shares with fdg is in delayed_stages_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/algorithm_trials.h"
#include "tests/support/staged_runs.h"

namespace dasgd::test {
namespace {

// A forward pass for the output and one for the gradient, but at the last stage.
TEST(DspLayers, MakesForwardPassesAgain) {
    const auto passes = [](const std::string& algorithm, std::size_t stage) {
        const auto records =
            train(StagedRun{.algorithm = algorithm, .workers = 2, .stages = 2, .steps = 20}.document());
        return std::ranges::count_if(records[stage].sink.spans,
                                     [](const Span& span) { return span.kind == SpanKind::Forward; });
    };
    EXPECT_EQ(passes("fdg", 0), 20);
    EXPECT_EQ(passes("dsp_layers", 0), 20 + 18);
    EXPECT_EQ(passes("dsp_layers", 1), 19);
}

// The second pass over a batch draws the numbers of the first. With weights that stay it is the first, and gradients
// are those of one process but for the masks: all replicas of a mask are dropped in both passes or in none.
TEST(DspLayers, DrawsTheNumbersOfTheFirstPass) {
    StagedRun run{.algorithm = "dsp_layers", .workers = 2, .stages = 2, .dropout = 0.4, .steps = 30, .rate = 1e-9};
    const Trajectory again = wholeWeights(train(run.document()), 2);
    run.algorithm = "fdg";
    expectSame(again, wholeWeights(train(run.document()), 2), 1e-14);
    run.rate = 0.05;
    const Trajectory trained = wholeWeights(train(run.document()), 2);
    EXPECT_NE(trained.front(), trained.back());
}

const AlgorithmTrial::Add kDspLayersTrial{
    {.algorithm = "dsp_layers",
     .rule = [](const SerialView&) { return SerialRule{.gradients = averagesUntil(kEveryStep)}; },
     .snapshotPasses = 0,
     .mergePasses = 0,
     .identities = {{.with = {}, .algorithm = "pipeline"}}}};

}  // namespace
}  // namespace dasgd::test
