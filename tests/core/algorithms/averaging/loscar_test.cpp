#include <gmock/gmock.h>

#include <array>

#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields loscar(std::int64_t period, std::int64_t delay, double share) {
    return {{"name", text("loscar")}, {"period", integer(period)}, {"delay", integer(delay)}, {"share", number(share)}};
}

using Mask = std::array<bool, 3>;

// x_j = m_j + (z_j − y_j) on the mask, z_j otherwise; y after N = τ − Q steps of a round, z after all. The masks are
// those that `got` shows: a coordinate was merged where the rule's value is the nearer one.
struct SerialMasked {
    const Trajectory& got;
    std::int64_t period, delay;
    Workers y = {};
    std::vector<Mask> masks = {};

    void operator()(std::int64_t k, Workers& z) {
        // A merge comes before the snapshot of the same step: with Q = τ, N is 0.
        if (k % period == 0 && !y.empty()) merge(k, z);
        if (k % period == (period - delay) % period) y = z;
        if (delay == 0 && k % period == 0) merge(k, z);
    }
    void merge(std::int64_t k, Workers& z) {
        const Vec m = mean(y);
        const Workers& seen = got[static_cast<std::size_t>(k)];
        Mask mask{};
        for (std::size_t j = 0; j < m.size(); ++j) {
            double ifMerged = 0, ifNot = 0;
            for (std::size_t i = 0; i < z.size(); ++i) {
                ifMerged += std::abs(m[j] + (z[i][j] - y[i][j]) - seen[i][j]);
                ifNot += std::abs(z[i][j] - seen[i][j]);
            }
            mask[j] = ifMerged < ifNot;
            for (std::size_t i = 0; i < z.size() && mask[j]; ++i) z[i][j] = m[j] + (z[i][j] - y[i][j]);
        }
        masks.push_back(mask);
        if (delay == 0) y.clear();
    }
};

class LoscarOracle : public testing::TestWithParam<std::tuple<Backend, int, std::pair<std::int64_t, std::int64_t>>> {};

TEST_P(LoscarOracle, MergesOneSharedMaskARound) {
    const auto& [backend, workers, setting] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01, .nesterov = true};
    const Trajectory got = recorded(train(problem.experiment(loscar(setting.first, setting.second, 0.34)), backend));
    SerialMasked rule{.got = got, .period = setting.first, .delay = setting.second};
    expectSame(got, serial(problem, std::ref(rule)), 1e-12);

    ASSERT_GE(rule.masks.size(), 39U);
    std::array<int, 3> drawn{};
    for (const Mask& mask : rule.masks) {
        EXPECT_EQ(std::count(mask.begin(), mask.end(), true), 1) << "a third of three coordinates";
        for (std::size_t j = 0; j < 3; ++j) drawn[j] += mask[j] ? 1 : 0;
    }
    for (const int times : drawn) EXPECT_GE(times, 5) << "every coordinate has its turns";
}

INSTANTIATE_TEST_SUITE_P(Settings, LoscarOracle,
                         testing::Combine(testing::Values(Backend::Threads, Backend::Gloo), testing::Values(4, 7),
                                          testing::Values(std::pair(4, 3), std::pair(5, 1), std::pair(4, 4),
                                                          std::pair(3, 0))));

// Every coordinate in the mask: the delta with snapshots at N, N + τ, …, to the last bit.
TEST(Loscar, WithAFullMaskIsTheDelta) {
    const QuadraticProblem problem{.workers = 3, .steps = 60, .weightDecay = 0.01};
    const Fields delta{{"name", text("dasgd")},     {"period", integer(4)},    {"delay", integer(3)},
                       {"local_weight", number(0)}, {"correction", number(1)}, {"offset", integer(1)}};
    expectSame(recorded(train(problem.experiment(loscar(4, 3, 1)))), recorded(train(problem.experiment(delta))), 0);
}

TEST(Loscar, SendsTheMaskedCoordinatesAlone) {
    const QuadraticProblem problem{.workers = 4};
    const std::vector<RankRecord> records = train(problem.experiment(loscar(4, 3, 0.34)));
    // Snapshots at 1, 5, 9, 13, 17: a ring all-reduce of one number each.
    EXPECT_EQ(records[0].sink.metrics.at("train/loss").back().bytesSent, 5 * 2 * 8 * 3 / 4);
}

TEST(Loscar, AnotherSeedDrawsOtherMasks) {
    const QuadraticProblem problem{.workers = 2, .steps = 60};
    Value other = problem.experiment(loscar(4, 3, 0.34));
    other.find("train")->set("seed", integer(7));
    EXPECT_NE(recorded(train(problem.experiment(loscar(4, 3, 0.34)))), recorded(train(other)));
}

TEST(Loscar, RefusesAnEmptyMaskAndADelayBeyondThePeriod) {
    for (const auto& [fields, said] : std::vector<std::pair<Fields, std::string>>{
             {loscar(4, 3, 0), "share"}, {loscar(4, 5, 0.5), "delay is 5; allowed: 0 to period (4) steps"}}) {
        const auto refused = readExperiment(QuadraticProblem{}.experiment(fields));
        ASSERT_FALSE(refused) << said;
        EXPECT_THAT(refused.error().message, testing::HasSubstr(said));
    }
}

}  // namespace
}  // namespace dasgd::test
