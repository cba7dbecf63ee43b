#include <gmock/gmock.h>

#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields postLocal(std::int64_t syncSteps, std::int64_t period = 4) {
    return {{"name", text("post_local_sgd")}, {"sync_steps", integer(syncSteps)}, {"period", integer(period)}};
}

const QuadraticProblem kProblem{.workers = 4, .steps = 200, .weightDecay = 0.01, .nesterov = true};

class PostLocalOracle : public testing::TestWithParam<std::tuple<Backend, int>> {};

// arXiv 1808.07217: gradients are averaged in the first k₀ steps, afterwards the weights after every τ-th.
TEST_P(PostLocalOracle, FollowsTheSerialRule) {
    const auto& [backend, syncSteps] = GetParam();
    std::int64_t step = 0;
    const auto gradients = [&, k0 = syncSteps](Workers& g) {
        if (++step <= k0) g.assign(g.size(), mean(g));
    };
    const auto weights = [k0 = syncSteps](std::int64_t k, Workers& w) {
        if (k > k0 && k % 4 == 0) w.assign(w.size(), mean(w));
    };
    const Trajectory expected = serial(kProblem, weights, gradients);
    expectSame(recorded(train(kProblem.experiment(postLocal(syncSteps)), backend)), expected, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, PostLocalOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(1, 8, 50)));

// Gradients of 10 steps, then weights after steps 12, 16 and 20: no bucket leaves from step 11 on.
TEST(PostLocalSgd, SendsGradientsFirstAndThenWeights) {
    QuadraticProblem problem = kProblem;
    problem.steps = 20;
    const std::vector<RankRecord> records = train(problem.experiment(postLocal(10)));
    std::vector<std::int64_t> steps;
    for (const Span& span : records[0].sink.spans) {
        if (span.kind == SpanKind::Reduce) steps.push_back(span.step);
    }
    EXPECT_THAT(steps, testing::UnorderedElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 20));
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 13 * 2 * flatBytes(3) * 3 / 4);
}

TEST(PostLocalSgd, AveragesTheMomentumWhereTold) {
    const auto average = [](std::int64_t k, Workers& all) {
        if (k > 8 && k % 4 == 0) all.assign(all.size(), mean(all));
    };
    std::int64_t step = 0;
    const auto gradients = [&](Workers& g) {
        if (++step <= 8) g.assign(g.size(), mean(g));
    };
    Fields fields = postLocal(8);
    fields.emplace_back("optimizer_state", text("average"));
    expectSame(recorded(train(kProblem.experiment(fields))), serial(kProblem, average, gradients, average), 1e-12);
}

TEST(PostLocalSgd, RefusesABucketOfNothing) {
    Fields fields = postLocal(8);
    fields.emplace_back("bucket_mb", number(0));
    const auto refused = readExperiment(kProblem.experiment(fields));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("bucket_mb"));
}

const AlgorithmTrial::Add kPostLocalTrial{
    {.algorithm = "post_local_sgd",
     .fields = {{"period", integer(4)}, {"sync_steps", integer(10)}},
     .rule =
         [](const SerialView&) {
             return SerialRule{.gradients = averagesUntil(10), .weights = [](std::int64_t k, Vectors& w) {
                                   if (k > 10 && k % 4 == 0) takeMean(w);
                               }};
         },
     // The weights themselves travel.
     .mergePasses = 0,
     .identities = {{.with = {{"period", integer(4)}, {"sync_steps", integer(0)}},
                     .algorithm = "local_sgd",
                     .fields = {{"period", integer(4)}}},
                    {.with = {{"period", integer(4)}, {"sync_steps", integer(1'000'000)}}, .algorithm = "sync_sgd"}}}};

}  // namespace
}  // namespace dasgd::test
