#include "core/train/evaluation/evaluations_beside.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/support/ranks.h"
#include "tests/support/sign_model.h"

namespace dasgd::test {
namespace {

using ::testing::ElementsAre;

Samples samples() {
    at::manual_seed(5);
    return {torch::randn({40, 2}), torch::randint(2, {40}, torch::kInt64)};
}

// A board of two workers and a server.
std::unique_ptr<EvaluationBoard> board() {
    std::vector<std::unique_ptr<Model>> models;
    models.push_back(std::make_unique<SignModel>());
    return std::make_unique<EvaluationBoard>(std::move(models), torch::kFloat32, EvaluationSets(samples()), 3,
                                             Roles(3, {2}), ModelSelection(), EvaluationBoard::Of::ServersWeights);
}

at::Tensor weights(double first) {
    at::Tensor named = torch::ones({6});
    named[0] = first;
    return named;
}

TEST(EvaluationsBeside, JudgeEachCopyAsTheBoardDoesAndInOrder) {
    std::vector<double> expected;
    const auto judges = board();
    EvaluationsBeside beside(board());
    for (std::int64_t step = 1; step <= 5; ++step) {
        const at::Tensor copy = weights(static_cast<double>(step) - 3.5);
        judges->depositNamed(step, 0, copy,
                             [&](const EvaluationReport& report, Ns) { expected.push_back(report.loss); });
        beside.ask({.at = {.step = step, .wall = 10 * step}, .named = copy, .trainedSeconds = 0.5});
    }
    beside.finish();
    std::vector<double> losses;
    std::vector<std::int64_t> steps;
    for (const auto& judged : beside.takeEnded()) {
        losses.push_back(judged.report.loss);
        steps.push_back(judged.at.step);
        EXPECT_EQ(judged.at.wall, 10 * judged.at.step);
        EXPECT_EQ(judged.report.trainedSeconds, 0.5);
        EXPECT_GT(judged.seconds, 0);
    }
    EXPECT_THAT(steps, ElementsAre(1, 2, 3, 4, 5));
    EXPECT_EQ(losses, expected);
    EXPECT_NE(losses.front(), losses.back());
}

// A copy of another size cannot be judged: that is told, and nothing waits for ever.
TEST(EvaluationsBeside, AnErrorIsThrownWhereTheResultIsTaken) {
    EvaluationsBeside beside(board());
    beside.ask({.at = {.step = 1}, .named = torch::ones({7})});
    beside.finish();
    EXPECT_TRUE(beside.takeEnded().empty());
    EXPECT_THROW(beside.rethrowFailure(), std::exception);
}

}  // namespace
}  // namespace dasgd::test
