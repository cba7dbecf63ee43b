#include <gmock/gmock.h>

#include <algorithm>

#include "tests/support/algorithm_trials.h"
#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

struct Co2Setting {
    double beta, alpha, penalty = 1, clip = 0;
    bool present = true;
};

Fields co2(const Co2Setting& s) {
    Fields fields{{"name", text("co2")},
                  {"slow_momentum", number(s.beta)},
                  {"slow_learning_rate", number(s.alpha)},
                  {"gap_penalty", number(s.penalty)},
                  {"clip", number(s.clip)}};
    if (!s.present) fields.emplace_back("from_present", boolean(false));
    return fields;
}

// The authors' code, with x_{t,0} where round t begins and x_{t,τ} the mean of the weights that it ends with:
//   m_t = β·m_{t−1} + (x_{t,0} − x_{t−1,τ})/Λ, clipped to ±φ;   x_{t+1,0} = x_{t,0} − α·m_t.
// In arXiv 2401.16265, as recalled, the difference is x_{t−1,0} − x_{t−1,τ}. Of round 0 nothing is known at its end.
struct SerialCo2 {
    Co2Setting s;
    Workers begins, ends = {};  // [t]
    Vec m = Vec(begins[0].size(), 0);

    void operator()(std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        const std::size_t t = ends.size();
        ends.push_back(mean(w));
        Vec next = begins[t];
        for (std::size_t j = 0; j < next.size(); ++j) {
            m[j] *= s.beta;
            if (t > 0) m[j] += (begins[s.present ? t : t - 1][j] - ends[t - 1][j]) / s.penalty;
            if (s.clip > 0) m[j] = std::clamp(m[j], -s.clip, s.clip);
            next[j] -= s.alpha * m[j];
        }
        begins.push_back(next);
        w.assign(w.size(), next);
    }
};

class Co2Oracle : public testing::TestWithParam<std::tuple<Backend, Co2Setting>> {};

TEST_P(Co2Oracle, FollowsTheSerialRule) {
    const auto& [backend, setting] = GetParam();
    SerialCo2 rule{.s = setting, .begins = {kOuterProblem.start}};
    expectSame(trained(kOuterProblem, co2(setting), backend), serial(kOuterProblem, std::ref(rule)), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, Co2Oracle,
    testing::Combine(testing::ValuesIn(oracleBackends()),
                     testing::Values(Co2Setting{0.2, 0.5}, Co2Setting{0, 0.5}, Co2Setting{0.5, 0.4, 2},
                                     Co2Setting{0.5, 0.4, 1, 0.02}, Co2Setting{0, 0.5, 1.5, 0.1},
                                     Co2Setting{0.2, 0.5, 1, 0, false}, Co2Setting{0, 0.5, 1, 0, false},
                                     Co2Setting{0.5, 0.4, 2, 0, false}, Co2Setting{0.5, 0.4, 1, 0.02, false},
                                     Co2Setting{0, 0.5, 1.5, 0.1, false})));

// Without momentum and at rate 1: taken from where its own round began, a mean's progress is added to that of the round
// made meanwhile; taken from the present weights, those become the mean of the round before.
TEST(Co2, TheDifferenceToThePresentWeightsGivesUpTheRoundMadeMeanwhile) {
    const Trajectory kept = trained(kOuterProblem, co2({.beta = 0, .alpha = 1, .present = false}));
    const Trajectory present = trained(kOuterProblem, co2({0, 1}));
    const Trajectory local = localSgdOf(kOuterProblem, 4);
    EXPECT_EQ(kept[4], present[4]) << "nothing has arrived after the first round";
    for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(kept[8][0][j], local[4][0][j], 1e-12) << "the start, and what the first round found";
        EXPECT_NEAR(present[8][0][j], local[4][0][j], 1e-12);
    }
    EXPECT_GT(std::abs(kept[12][0][0] - present[12][0][0]), 1e-3);
}

// CO2 makes SlowMo's outer step a round later, so it first moves after the second round. slow_average_test shows that
// the steps are the same.
TEST(Co2, MovesFirstAfterTheSecondRound) {
    const Trajectory late = trained(kOuterProblem, co2({0.5, 1}));
    EXPECT_EQ(late[4][0], kOuterProblem.start) << "nothing has arrived after the first round";
    EXPECT_GT(std::abs(late[8][0][0] - kOuterProblem.start[0]), 1e-3);
    const std::vector<RankRecord> records = train(kOuterProblem.experiment(co2({0.2, 0.5})));
    for (const Span& span : records[0].sink.spans) {
        if (span.kind != SpanKind::Wait) continue;
        EXPECT_EQ(span.step % 4, 0) << "only at the end of a round";
    }
}

TEST(Co2, RefusesAPenaltyOfZero) {
    const auto refused = readExperiment(kOuterProblem.experiment(co2({0.5, 1, 0})));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("gap_penalty"));
}

// u = βu + θ − ⟨w⟩ of the round before, θ −= u; nothing after the first round. β = 0.5.
SerialRule movesARoundLate(const SerialView& view) {
    return {.weights = [theta = view.start, u = torch::zeros_like(view.start), late = view.start](std::int64_t k,
                                                                                                  Vectors& w) mutable {
        if (k % 4 != 0) return;
        u = u * 0.5 + (theta - late);
        late = meanOf(w);
        theta = theta - u;
        w.assign(w.size(), theta);
    }};
}

const AlgorithmTrial::Add kCo2Trial{
    {.algorithm = "co2",
     .fields = {{"period", integer(4)}, {"slow_momentum", number(0.5)}, {"slow_learning_rate", number(1)}},
     .rule = &movesARoundLate,
     // The pass of the outer step forms what leaves.
     .snapshotPasses = 0}};

}  // namespace
}  // namespace dasgd::test
