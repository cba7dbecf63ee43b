#include <gmock/gmock.h>

#include "tests/support/outer_oracle.h"

namespace dasgd::test {
namespace {

Fields co2(double momentum, double rate, double penalty = 1, double clip = 0) {
    return {{"name", text("co2")},
            {"slow_momentum", number(momentum)},
            {"slow_learning_rate", number(rate)},
            {"gap_penalty", number(penalty)},
            {"clip", number(clip)}};
}

// arXiv 2401.16265: the outer gradient of a round moves θ at the end of the next, when its mean has arrived.
struct SerialCo2 {
    double beta, alpha, penalty, clip;
    Vec theta, u = Vec(theta.size(), 0), arriving = Vec(theta.size(), 0);
    void operator()(std::int64_t k, Workers& w) {
        if (k % 4 != 0) return;
        const Vec m = mean(w);
        for (std::size_t j = 0; j < m.size(); ++j) {
            u[j] = beta * u[j] + arriving[j] / penalty;
            if (clip > 0) u[j] = std::max(-clip, std::min(clip, u[j]));
            arriving[j] = theta[j] - m[j];
            theta[j] -= alpha * u[j];
        }
        w.assign(w.size(), theta);
    }
};

struct Co2Setting {
    double beta, alpha, penalty = 1, clip = 0;
};
class Co2Oracle : public testing::TestWithParam<Co2Setting> {};

TEST_P(Co2Oracle, FollowsTheSerialRule) {
    const Co2Setting& s = GetParam();
    SerialCo2 rule{
        .beta = s.beta, .alpha = s.alpha, .penalty = s.penalty, .clip = s.clip, .theta = kOuterProblem.start};
    expectSame(trained(kOuterProblem, co2(s.beta, s.alpha, s.penalty, s.clip)), serial(kOuterProblem, std::ref(rule)),
               1e-12);
}

INSTANTIATE_TEST_SUITE_P(Settings, Co2Oracle,
                         testing::Values(Co2Setting{0.2, 0.5}, Co2Setting{0, 0.5}, Co2Setting{0.5, 0.4, 2},
                                         Co2Setting{0.5, 0.4, 1, 0.02}, Co2Setting{0, 0.5, 1.5, 0.1}));

TEST(Co2, GlooFollowsTheSerialRuleToo) {
    SerialCo2 rule{.beta = 0.2, .alpha = 0.5, .penalty = 1, .clip = 0, .theta = kOuterProblem.start};
    expectSame(recorded(train(kOuterProblem.experiment(co2(0.2, 0.5)), Backend::Gloo)),
               serial(kOuterProblem, std::ref(rule)), 1e-12);
}

// What SlowMo does after a round happens a round later; that it is the same is slow_average_test's.
TEST(Co2, MovesFirstAfterTheSecondRound) {
    const Trajectory late = trained(kOuterProblem, co2(0.5, 1));
    EXPECT_EQ(late[4][0], kOuterProblem.start) << "nothing has arrived after the first round";
    EXPECT_GT(std::abs(late[8][0][0] - kOuterProblem.start[0]), 1e-3);
    const std::vector<RankRecord> records = train(kOuterProblem.experiment(co2(0.2, 0.5)));
    for (const Span& span : records[0].sink.spans) {
        if (span.kind != SpanKind::Wait) continue;
        EXPECT_EQ(span.step % 4, 0) << "only at the end of a round";
    }
}

TEST(Co2, RefusesAPenaltyOfZero) {
    const auto refused = readExperiment(kOuterProblem.experiment(co2(0.5, 1, 0)));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("gap_penalty"));
}

}  // namespace
}  // namespace dasgd::test
