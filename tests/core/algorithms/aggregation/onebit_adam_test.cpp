#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "tests/support/algorithm_trials.h"
#include "tests/support/compression_oracle.h"

namespace dasgd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct AdamSetting {
    std::int64_t freeze = 10;
    double beta1 = 0.9, beta2 = 0.99, epsilon = 1e-3;

    [[nodiscard]] Fields fields() const {
        return {{"name", text("onebit_adam")},
                {"freeze_steps", integer(freeze)},
                {"beta1", number(beta1)},
                {"beta2", number(beta2)},
                {"epsilon", number(epsilon)}};
    }
};

// Signs times ‖x‖₂/√n, which travels in float32.
Vec signsOfRoot(const Vec& x) {
    double squares = 0;
    for (const double number : x) squares += number * number;
    const double scale = x.empty() ? 0 : static_cast<float>(std::sqrt(squares / static_cast<double>(x.size())));
    Vec out;
    for (const double number : x) out.push_back(number >= 0 ? scale : -scale);
    return out;
}

// The two phases in plain doubles: the step that is made of all workers' gradients.
struct SerialOnebitAdam {
    AdamSetting setting;
    SerialCodedMean coded{.shard = true, .code = signsOfRoot};
    Vec m = Vec(3, 0), v = Vec(3, 0);
    std::int64_t k = 0;

    Vec step(const Workers& g) {
        const bool isFrozen = ++k > setting.freeze;
        if (isFrozen && g.size() > 1) {
            Workers own;
            for (const Vec& one : g) own.push_back(moved(one));
            m = coded.mean(own);
        } else {
            const Vec together = mean(g);
            m = moved(together);
            for (std::size_t j = 0; j < v.size() && !isFrozen; ++j) {
                v[j] = setting.beta2 * v[j] + (1 - setting.beta2) * together[j] * together[j];
            }
        }
        Vec made = m;
        for (std::size_t j = 0; j < made.size(); ++j) {
            made[j] = isFrozen && v[j] == 0 ? 0 : m[j] / (std::sqrt(v[j]) + setting.epsilon);
        }
        return made;
    }
    [[nodiscard]] Vec moved(const Vec& g) const {
        Vec next = m;
        for (std::size_t j = 0; j < next.size(); ++j) next[j] = setting.beta1 * m[j] + (1 - setting.beta1) * g[j];
        return next;
    }
};

QuadraticProblem adamProblem(int workers, std::int64_t steps = 60) {
    return {.workers = workers, .steps = steps, .rate = 0.01, .momentum = 0};
}

Trajectory serialOnebitAdam(const QuadraticProblem& problem, const AdamSetting& setting) {
    SerialOnebitAdam rule{setting};
    return serial(
        problem, [](auto, auto&) {}, [&](Workers& g) { g.assign(g.size(), rule.step(g)); });
}

using OnebitCase = std::tuple<Backend, int, AdamSetting>;
class CodedOnebitAdam : public testing::TestWithParam<OnebitCase> {};

TEST_P(CodedOnebitAdam, FollowsItsTwoPhases) {
    const auto& [backend, workers, setting] = GetParam();
    const QuadraticProblem problem = adamProblem(workers);
    const Trajectory got = recorded(train(problem.experiment(setting.fields()), backend));
    expectSame(got, serialOnebitAdam(problem, setting), 1e-10);
    for (const Workers& w : got) {
        for (const Vec& each : w) EXPECT_EQ(each, w[0]) << "all workers have the same weights";
    }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, CodedOnebitAdam,
    testing::Combine(testing::Values(Backend::Threads, Backend::Gloo), testing::Values(1, 2, 4, 7),
                     testing::Values(AdamSetting{}, AdamSetting{.freeze = 1}, AdamSetting{.freeze = 1000},
                                     AdamSetting{.freeze = 25, .beta1 = 0.5, .beta2 = 0.9, .epsilon = 1e-8})),
    [](const auto& info) {
        return std::string(nameOf(std::get<0>(info.param))) + "_" + std::to_string(std::get<1>(info.param)) +
               "_frozen_after_" + std::to_string(std::get<2>(info.param).freeze);
    });

// A weight without a gradient before the freeze stays where it is, though a sign says it moves.
TEST(CodedOnebitAdams, LeaveWeightsAloneThatNeverHadAGradient) {
    QuadraticProblem problem = adamProblem(3);
    problem.matrix = {{2, 0, 0}, {0, 0, 0}, {0, 0, 0.5}};
    const Trajectory got = recorded(train(problem.experiment(AdamSetting{}.fields())));
    for (const Workers& w : got) EXPECT_EQ(w[0][1], problem.start[1]);
    EXPECT_NE(got.back()[0][2], got[10][0][2]);
    expectSame(got, serialOnebitAdam(problem, {}), 1e-10);
}

// Whole gradients at first, then a part of three numbers to each owner and back: a byte of signs and a scale.
TEST(CodedOnebitAdams, SendWholeGradientsAndThenMessages) {
    const auto sent = [](std::int64_t steps) {
        const auto records = train(adamProblem(3, steps).experiment(AdamSetting{}.fields()));
        return records[0].sink.metrics.at("train/loss").back().bytesSent;
    };
    const std::int64_t first = sent(10);
    // One number a part: to two owners, and its mean to two ranks.
    EXPECT_EQ(sent(40) - first, 30 * 2 * 2 * 5);
    const auto records = train(adamProblem(3).experiment(AdamSetting{}.fields()));
    EXPECT_EQ(records[0].sink.metrics.at("compression/ratio").front().step, 11);
    EXPECT_EQ(records[0].sink.metrics.at("compression/error").size(), 50U);
}

TEST(CodedOnebitAdams, RefuseOptimisersOfTheirOwnAndGpus) {
    const auto refusal = [](const RunOutline& facts) {
        const auto made = AlgorithmRegistry::find("onebit_adam")->create(table({}), {}).value();
        const auto refused = made->check(facts);
        return refused ? refused->field + ": " + refused->message : "";
    };
    EXPECT_EQ(refusal({}), "");
    EXPECT_THAT(refusal({.optimizerState = 2}),
                AllOf(HasSubstr("optimizer.name: onebit_adam makes the step itself"), HasSubstr("set name = \"sgd\"")));
    EXPECT_THAT(refusal({.decaysWeights = true}), HasSubstr("optimizer.weight_decay: "));
    EXPECT_THAT(refusal({.clips = true}), HasSubstr("train.gradient_clip: "));
    EXPECT_THAT(refusal({.onGpus = true}), AllOf(HasSubstr("on the host"), HasSubstr("sync_sgd with adam")));
}

// The first phase, of which the gradients' means alone are in float32.
SerialRule averagedAdam(const SerialView& view) {
    struct State {
        at::Tensor weights, m, v;
        Vectors gradients;
    };
    auto state =
        std::make_shared<State>(State{view.start, torch::zeros_like(view.start), torch::zeros_like(view.start), {}});
    return {.gradients = [state](std::int64_t, Vectors& gradients) { state->gradients = gradients; },
            .weights =
                [state, rate = view.rate](std::int64_t, Vectors& w) {
                    const at::Tensor g = meanOf(state->gradients);
                    state->m = 0.9 * state->m + 0.1 * g;
                    state->v = 0.999 * state->v + 0.001 * g * g;
                    state->weights = state->weights - rate * state->m / (state->v.sqrt() + 1e-4);
                    w.assign(w.size(), state->weights);
                }};
}

const AlgorithmTrial::Add kOnebitAdamTrial{{.algorithm = "onebit_adam", .rule = &averagedAdam, .codes = true}};
const AlgorithmTrial::Add kFrozenTrial{{.algorithm = "onebit_adam",
                                        .fields = {{"freeze_steps", integer(5)}, {"epsilon", number(1e-3)}},
                                        .what = "coded",
                                        .codes = true}};

}  // namespace
}  // namespace dasgd::test
