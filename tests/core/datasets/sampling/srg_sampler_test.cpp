#include "core/datasets/sampling/srg_sampler.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>

namespace dasgd {
namespace {

using Numbers = std::vector<double>;

constexpr double kFloor = 0.4;

// Gradients of some samples, with norms of many sizes, and last known norms that are others.
struct Problem {
    explicit Problem(std::size_t samples, std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        std::lognormal_distribution<double> any(0, 2);
        for (std::size_t i = 0; i < samples; ++i) {
            const double size = any(random);
            gradients.push_back({size * normal(random), size * normal(random), size * normal(random)});
            known.push_back(any(random));
        }
        known[0] = 0;
    }
    [[nodiscard]] double norm(std::size_t i) const {
        return std::hypot(gradients[i][0], gradients[i][1], gradients[i][2]);
    }
    std::vector<std::array<double, 3>> gradients;
    Numbers known;
};

class SrgForms : public testing::TestWithParam<std::string> {};

TEST_P(SrgForms, TheMeanIsThatOfUniformSamplesAndTheSecondMomentAtMostOneOverTheFloorOfTheirs) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Problem problem(17, seed);
        const auto form = makeSrgForm(GetParam(), problem.known, kFloor);
        const double n = 17;
        std::array<double, 3> mean{}, expected{};
        double moment = 0, uniform = 0, all = 0;
        for (std::size_t i = 0; i < 17; ++i) {
            const double p = form->probability(i), weight = 1 / (n * p);
            EXPECT_GE(p, kFloor / n * (1 - 1e-12));
            all += p;
            for (std::size_t d = 0; d < 3; ++d) {
                mean[d] += p * weight * problem.gradients[i][d];
                expected[d] += problem.gradients[i][d] / n;
            }
            moment += p * std::pow(weight * problem.norm(i), 2);
            uniform += std::pow(problem.norm(i), 2) / n;
        }
        EXPECT_NEAR(all, 1, 1e-12);
        for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(mean[d], expected[d], 1e-12 * std::sqrt(uniform));
        EXPECT_LE(moment, uniform / kFloor * (1 + 1e-12));
    }
}

TEST_P(SrgForms, KnownNormsMakeTheSecondMomentSmaller) {
    Problem problem(40, 3);
    for (std::size_t i = 0; i < 40; ++i) problem.known[i] = problem.norm(i);
    const auto form = makeSrgForm(GetParam(), problem.known, kFloor);
    double moment = 0, uniform = 0;
    for (std::size_t i = 0; i < 40; ++i) {
        moment += std::pow(problem.norm(i) / 40, 2) / form->probability(i);
        uniform += std::pow(problem.norm(i), 2) / 40;
    }
    EXPECT_LT(moment, 0.9 * uniform);
}

TEST_P(SrgForms, EqualNormsAreUniform) {
    const auto form = makeSrgForm(GetParam(), Numbers(12, 3.5), kFloor);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(form->probability(i), 1.0 / 12, 1e-15);
    const auto nothing = makeSrgForm(GetParam(), Numbers(12, 0.0), kFloor);
    for (std::size_t i = 0; i < 12; ++i) EXPECT_NEAR(nothing->probability(i), 1.0 / 12, 1e-15);
}

// χ² with 15 degrees of freedom is above 37.7 once in a thousand times; the seed is fixed.
TEST_P(SrgForms, SamplesAreDrawnWithTheirProbabilitiesAndRenewedUniformly) {
    const Problem problem(16, 9);
    const auto form = makeSrgForm(GetParam(), problem.known, kFloor);
    std::mt19937_64 random(11);
    const auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
    constexpr int kDraws = 200'000;
    Numbers times(16), renewed(16);
    for (int i = 0; i < kDraws; ++i) {
        const double first = uniform();
        const SrgForm::Draw draw = form->draw(first, uniform());
        ++times[draw.sample];
        if (draw.renews) ++renewed[draw.sample];
    }
    double ofDraws = 0, ofRenewals = 0, renewals = 0;
    for (std::size_t i = 0; i < 16; ++i) {
        const double expected = kDraws * form->probability(i), each = kDraws * kFloor / 16;
        ofDraws += std::pow(times[i] - expected, 2) / expected;
        ofRenewals += std::pow(renewed[i] - each, 2) / each;
        renewals += renewed[i];
    }
    EXPECT_LT(ofDraws, 37.7);
    EXPECT_LT(ofRenewals, 45);
    EXPECT_NEAR(renewals / kDraws, kFloor, 0.01);
}

TEST_P(SrgForms, ASamplerLearnsTheNormsOfWhatItDraws) {
    const std::vector<std::int64_t> shard{40, 7, 19, 3, 88};
    const Numbers norms{0.5, 4, 0, 1, 9};
    SrgSampler sampler(shard, GetParam(), kFloor);
    EXPECT_TRUE(sampler.norms().equal(torch::ones({5}, torch::kDouble)));
    for (std::uint64_t batch = 0; batch < 60; ++batch) {
        const at::Tensor before = sampler.norms();
        const Numbers known(before.const_data_ptr<double>(), before.const_data_ptr<double>() + 5);
        const auto form = makeSrgForm(GetParam(), known, kFloor);
        const SrgSampler::Drawn drawn = sampler.draw(4, 100 + batch);
        at::Tensor found = torch::empty({4}, torch::kDouble);
        for (std::int64_t i = 0; i < 4; ++i) {
            const auto place = std::ranges::find(shard, drawn.indices[i].item<std::int64_t>()) - shard.begin();
            ASSERT_LT(place, 5);
            const auto sample = static_cast<std::size_t>(place);
            EXPECT_DOUBLE_EQ(drawn.weights[i].item<double>(), 1 / (5 * form->probability(sample)));
            found[i] = norms[sample];
        }
        // The norms come in two micro-batches.
        sampler.learn(found.slice(0, 0, 1));
        sampler.learn(found.slice(0, 1));
    }
    EXPECT_TRUE(sampler.norms().equal(torch::tensor(norms, torch::kDouble))) << "each was renewed by now";
}

TEST_P(SrgForms, ARestoredSamplerDrawsTheSame) {
    const std::vector<std::int64_t> shard{5, 6, 7, 8, 9, 10, 11};
    SrgSampler whole(shard, GetParam(), kFloor), resumed(shard, GetParam(), kFloor);
    const auto step = [](SrgSampler& sampler, std::uint64_t seed) {
        const SrgSampler::Drawn drawn = sampler.draw(3, seed);
        sampler.learn(drawn.indices.to(torch::kDouble).square() / 7);
        return drawn;
    };
    for (std::uint64_t seed = 0; seed < 20; ++seed) static_cast<void>(step(whole, seed));
    resumed.setNorms(whole.norms());
    for (std::uint64_t seed = 20; seed < 60; ++seed) {
        const SrgSampler::Drawn expected = step(whole, seed), drawn = step(resumed, seed);
        EXPECT_TRUE(drawn.indices.equal(expected.indices));
        EXPECT_TRUE(drawn.weights.equal(expected.weights)) << "to the last bit";
    }
}

TEST_P(SrgForms, WhatIsNoNumberIsNotLearned) {
    SrgSampler sampler({0, 1}, GetParam(), 1);
    static_cast<void>(sampler.draw(8, 1));
    sampler.learn(torch::full({8}, std::nan(""), torch::kDouble));
    EXPECT_TRUE(sampler.norms().equal(torch::ones({2}, torch::kDouble)));
}

INSTANTIATE_TEST_SUITE_P(Forms, SrgForms, testing::Values("mixture", "threshold"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dasgd
