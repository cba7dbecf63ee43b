#include <ATen/CPUGeneratorImpl.h>
#include <gmock/gmock.h>
#include <torch/types.h>

#include <array>
#include <random>

#include "core/base/random.h"
#include "tests/support/algorithm_trials.h"
#include "tests/support/quadratic_oracle.h"

namespace dasgd::test {
namespace {

Fields loscar(std::int64_t period, std::int64_t delay, double share) {
    return {{"name", text("loscar")}, {"period", integer(period)}, {"delay", integer(delay)}, {"share", number(share)}};
}

using Mask = std::array<bool, 3>;

// Mask of the snapshot after step k: `wanted` of three coordinates, by the rule at the head of loscar.cpp. `runSeed` is
// train.seed.
Mask maskOf(std::int64_t k, int wanted, std::uint64_t runSeed = 1) {
    at::Generator shared = at::detail::createCPUGenerator(streamSeed(runSeed, kEveryRank, StreamPurpose::Algorithm));
    const auto seed = at::randint(std::int64_t{1} << 53, {1}, shared, at::kLong).item<std::int64_t>();
    std::mt19937_64 draws(mixBits(mixBits(static_cast<std::uint64_t>(seed)) + static_cast<std::uint64_t>(k)));
    Mask mask{};
    for (std::size_t j = 0; j < 3; ++j) {
        const double number = std::ldexp(static_cast<double>(draws() >> 11), -53);
        mask[j] = number < static_cast<double>(wanted) / static_cast<double>(3 - j);
        wanted -= mask[j] ? 1 : 0;
    }
    return mask;
}

// x_j = m_j + (z_j − y_j) on the mask, z_j otherwise; y after N = τ − Q steps of a round, z after all.
struct SerialMasked {
    std::int64_t period, delay;
    int wanted = 1;
    Workers y = {};
    std::vector<Mask> masks = {};

    void operator()(std::int64_t k, Workers& z) {
        // A merge comes before the snapshot of the same step: with Q = τ, N is 0.
        if (k % period == 0 && !y.empty()) merge(z);
        if (k % period == (period - delay) % period) {
            y = z;
            masks.push_back(maskOf(k, wanted));
        }
        if (delay == 0 && k % period == 0) {
            merge(z);
            y.clear();
        }
    }
    void merge(Workers& z) const {
        const Vec m = mean(y);
        for (std::size_t j = 0; j < m.size(); ++j) {
            if (!masks.back()[j]) continue;
            for (std::size_t i = 0; i < z.size(); ++i) z[i][j] = m[j] + (z[i][j] - y[i][j]);
        }
    }
};

struct Round {
    std::int64_t period, delay;
    int wanted;
};
class LoscarOracle : public testing::TestWithParam<std::tuple<Backend, int, Round>> {};

TEST_P(LoscarOracle, MergesOneSharedMaskARound) {
    const auto& [backend, workers, setting] = GetParam();
    const QuadraticProblem problem{
        .workers = workers, .steps = 200, .rate = 0.02, .momentum = 0.5, .weightDecay = 0.01, .nesterov = true};
    SerialMasked rule{.period = setting.period, .delay = setting.delay, .wanted = setting.wanted};
    const Trajectory expected = serial(problem, std::ref(rule));
    const Fields fields = loscar(setting.period, setting.delay, setting.wanted / 3.0);
    expectSame(recorded(train(problem.experiment(fields), backend)), expected, 1e-12);

    ASSERT_GE(rule.masks.size(), 39U);
    std::array<int, 3> drawn{};
    for (const Mask& mask : rule.masks) {
        EXPECT_EQ(std::count(mask.begin(), mask.end(), true), setting.wanted);
        for (std::size_t j = 0; j < 3; ++j) drawn[j] += mask[j] ? 1 : 0;
    }
    for (const int times : drawn) EXPECT_GE(times, 5) << "every coordinate has its turns";
}

INSTANTIATE_TEST_SUITE_P(Settings, LoscarOracle,
                         testing::Combine(testing::ValuesIn(oracleBackends()), testing::Values(4, 7),
                                          testing::Values(Round{4, 3, 1}, Round{5, 1, 2}, Round{4, 4, 1},
                                                          Round{3, 0, 2})));

TEST(Loscar, SendsTheMaskedCoordinatesAlone) {
    const QuadraticProblem problem{.workers = 4, .steps = 17};
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

// x_j = m_j + (z_j − y_j) for j in the mask, z_j otherwise, y being of one step in four and z of three steps later. The
// ranks draw the mask: here it is where what they had is nearer to the merged value, a quarter of all at most.
SerialRule mergesAMask(const SerialView& view) {
    return {.weights = [&view, y = Vectors()](std::int64_t k, Vectors& z) mutable {
        if (k % 4 == 1) y = z;
        if (k % 4 != 0) return;
        const at::Tensor m = meanOf(y), elements = torch::zeros_like(m);
        const Vectors seen = view.ranks(k);
        at::Tensor ifMerged = elements, ifNot = elements;
        for (std::size_t i = 0; i < z.size(); ++i) {
            ifMerged = ifMerged + (m + (z[i] - y[i]) - seen[i]).abs();
            ifNot = ifNot + (z[i] - seen[i]).abs();
        }
        const at::Tensor mask = ifMerged < ifNot;
        // Weights that no worker has changed, of units that no digit reached, do not tell.
        const double share = mask.to(at::kDouble).mean().item<double>();
        EXPECT_LT(share, 0.26) << "step " << k;
        EXPECT_GT(share, 0.02) << "step " << k;
        for (std::size_t i = 0; i < z.size(); ++i) z[i] = torch::where(mask, m + (z[i] - y[i]), z[i]);
    }};
}

const AlgorithmTrial::Add kLoscarTrial{
    {.algorithm = "loscar",
     .fields = {{"period", integer(4)}, {"delay", integer(3)}, {"share", number(0.25)}},
     .rule = &mergesAMask,
     .identities = {// Every coordinate in the mask: the delta with snapshots at N, N + τ, ….
                    {.with = {{"period", integer(4)}, {"delay", integer(3)}, {"share", number(1)}},
                     .algorithm = "dasgd",
                     .fields = {{"period", integer(4)},
                                {"delay", integer(3)},
                                {"local_weight", number(0)},
                                {"correction", number(1)},
                                {"offset", integer(1)}}}}}};

}  // namespace
}  // namespace dasgd::test
