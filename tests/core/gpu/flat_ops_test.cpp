// Each operator against its formula in plain doubles, and, to the last bit, against ATen's operators in turn.
#include "core/gpu/flat_ops.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <vector>

namespace dasgd::test {
namespace {

constexpr std::int64_t kOpSizes[] = {0, 1, 7, 1000};

at::Tensor drawn(std::int64_t size, std::uint64_t seed, at::ScalarType type = at::kFloat) {
    at::Generator random = at::detail::createCPUGenerator(seed);
    return at::randn({size}, random, type);
}

// `rule` of the elements of each tensor, in doubles.
at::Tensor byElement(const std::vector<at::Tensor>& of, const std::function<double(const std::vector<double>&)>& rule) {
    at::Tensor result = at::empty_like(of.front(), at::kDouble);
    for (std::int64_t i = 0; i < result.numel(); ++i) {
        std::vector<double> values;
        for (const at::Tensor& tensor : of) values.push_back(tensor[i].item<double>());
        result[i] = rule(values);
    }
    return result;
}

void expectClose(const at::Tensor& found, const at::Tensor& expected, double tolerance) {
    EXPECT_TRUE(at::allclose(found.to(at::kDouble), expected, tolerance, tolerance))
        << (found.to(at::kDouble) - expected).abs().max().item<double>();
}

struct Corner {
    double xi, c;
};
class MergeTest : public testing::TestWithParam<Corner> {};

TEST_P(MergeTest, IsTheFormula) {
    const auto [xi, c] = GetParam();
    for (const auto& [type, tolerance] : {std::pair{at::kFloat, 1e-6}, {at::kDouble, 1e-14}, {at::kBFloat16, 0.03}}) {
        for (const std::int64_t size : kOpSizes) {
            at::Tensor weights = drawn(size, 1, type);
            const at::Tensor mean = drawn(size, 2, type), snapshot = drawn(size, 3, type);
            const at::Tensor expected = byElement({weights, mean, snapshot}, [xi = xi, c = c](const auto& of) {
                return xi * of[0] + (1 - xi) * (of[1] + c * (of[0] - of[2]));
            });
            mergeFlat(weights, mean.clone(), c > 0 ? snapshot : at::Tensor(), xi, c);
            expectClose(weights, expected, tolerance);
        }
    }
}

TEST_P(MergeTest, IsToTheLastBitWhatAtenComputesInTurn) {
    const auto [xi, c] = GetParam();
    for (const std::int64_t size : kOpSizes) {
        const at::Tensor before = drawn(size, 1), mean = drawn(size, 2), snapshot = drawn(size, 3);
        at::Tensor expected = before.clone(), fused = before.clone();
        if (c == 0) {
            expected = xi == 0 ? mean.clone() : expected.lerp(mean, 1 - xi);
        } else if (c == 1) {
            expected = before.add(mean.sub(snapshot), 1 - xi);
        } else {
            expected = before.mul(xi + (1 - xi) * c).add(mean.sub(snapshot, c), 1 - xi);
        }
        mergeFlat(fused, mean.clone(), snapshot, xi, c);
        EXPECT_TRUE(at::equal(fused, expected));
    }
}

INSTANTIATE_TEST_SUITE_P(Corners, MergeTest,
                         testing::Values(Corner{0, 0}, Corner{0.25, 0}, Corner{0.75, 0}, Corner{0.999, 0}, Corner{0, 1},
                                         Corner{0.25, 1}, Corner{0, 0.5}, Corner{0.25, 0.5}));

TEST(Merge, EqualReplicasStayEqualToTheLastBit) {
    const at::Tensor snapshot = drawn(1000, 1), before = drawn(1000, 2);
    at::Tensor weights = before.clone();
    mergeFlat(weights, snapshot.clone(), snapshot, 0.25, 1);
    EXPECT_TRUE(at::equal(weights, before));
}

TEST(Merge, ACorrectionNeedsTheSnapshot) {
    EXPECT_THROW(mergeFlat(drawn(3, 1), drawn(3, 2), {}, 0.5, 0.5), c10::Error);
}

TEST(Snapshot, ScalesAndCopies) {
    for (const std::int64_t size : kOpSizes) {
        const at::Tensor weights = drawn(size, 1);
        at::Tensor out = at::empty_like(weights), copy = at::empty_like(weights), alone = at::empty_like(weights);
        snapshotFlat(weights, out, copy, 1.0 / 3);
        snapshotFlat(weights, alone, {}, 1.0 / 3);
        EXPECT_TRUE(at::equal(copy, weights));
        EXPECT_TRUE(at::equal(out, weights.mul(1.0 / 3)));
        EXPECT_TRUE(at::equal(out, alone));
    }
}

TEST(Snapshot, MayBeTheWeightsThemselves) {
    const at::Tensor before = drawn(1000, 1);
    at::Tensor weights = before.clone();
    snapshotFlat(weights, weights, {}, 0.5);
    EXPECT_TRUE(at::equal(weights, before.mul(0.5)));
}

class OuterStepTest : public testing::TestWithParam<OuterStep> {};

double descended(double outer, double delta, double& u, bool hasVelocity, const OuterStep& step) {
    delta /= step.penalty;
    u = hasVelocity ? step.momentum * u + delta : delta;
    if (step.clip > 0) u = std::min(std::max(u, -step.clip), step.clip);
    return outer - step.learningRate * (step.nesterov && hasVelocity ? delta + step.momentum * u : u);
}

TEST_P(OuterStepTest, FollowsTheFormula) {
    const OuterStep& step = GetParam();
    for (const std::int64_t size : kOpSizes) {
        for (const bool hasVelocity : {false, true}) {
            at::Tensor outer = drawn(size, 1), velocity = hasVelocity ? drawn(size, 2) : at::Tensor();
            const at::Tensor gradient = drawn(size, 3), u = hasVelocity ? velocity : gradient;
            const at::Tensor expected = byElement({outer, gradient, u}, [&](const auto& of) {
                double own = of[2];
                return descended(of[0], of[1], own, hasVelocity, step);
            });
            const at::Tensor expectedVelocity = byElement({outer, gradient, u}, [&](const auto& of) {
                double own = of[2];
                (void)descended(of[0], of[1], own, hasVelocity, step);
                return own;
            });
            outerStepFlat(outer, gradient.clone(), velocity, step);
            expectClose(outer, expected, 1e-6);
            if (hasVelocity) expectClose(velocity, expectedVelocity, 1e-6);
        }
    }
}

TEST_P(OuterStepTest, ToTheMeanItMovesTheWeightsToo) {
    const OuterStep& step = GetParam();
    for (const bool hasVelocity : {false, true}) {
        at::Tensor outer = drawn(1000, 1), weights = drawn(1000, 2),
                   velocity = hasVelocity ? drawn(1000, 4) : at::Tensor();
        const at::Tensor mean = drawn(1000, 3);
        at::Tensor expected = outer.clone();
        if (hasVelocity) {
            outerStepFlat(expected, outer.sub(mean), velocity.clone(), step);
        } else {
            expected.lerp_(mean, step.learningRate);
        }
        const at::Tensor expectedWeights =
            step.localWeight == 0 ? expected : weights.lerp(expected, 1 - step.localWeight);
        outerStepToMeanFlat(outer, mean.clone(), velocity, weights, step);
        EXPECT_TRUE(at::equal(outer, expected));
        EXPECT_TRUE(at::equal(weights, expectedWeights));
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, OuterStepTest,
                         testing::Values(OuterStep{}, OuterStep{.learningRate = 0.7, .momentum = 0.9, .nesterov = true},
                                         OuterStep{.momentum = 0.5, .penalty = 3, .clip = 0.2},
                                         OuterStep{.learningRate = 0.7, .momentum = 0.9, .localWeight = 0.5}));

// Where nothing is overlapped the mean is formed in the place of the weights.
TEST(OuterStepInPlace, TheMeanMayBeTheWeights) {
    const OuterStep step{.learningRate = 0.7, .momentum = 0.9, .nesterov = true};
    const at::Tensor mean = drawn(1000, 1), start = drawn(1000, 2);
    at::Tensor outer = start.clone(), velocity = at::zeros_like(start), weights = mean.clone();
    outerStepToMeanFlat(outer, weights, velocity, weights, step);
    at::Tensor apart = start.clone(), otherVelocity = at::zeros_like(start), other = drawn(1000, 3);
    outerStepToMeanFlat(apart, mean.clone(), otherVelocity, other, step);
    EXPECT_TRUE(at::equal(outer, apart));
    EXPECT_TRUE(at::equal(weights, apart));
    EXPECT_TRUE(at::equal(velocity, otherVelocity));
}

// Where only shapes are known there is nothing to compute, and nothing to fail.
TEST(FlatOps, TakeTensorsOfTheMetaDevice) {
    const at::Tensor meta = at::empty({1000}, at::TensorOptions(at::kMeta));
    snapshotFlat(meta, at::empty_like(meta), at::empty_like(meta), 0.5);
    mergeFlat(meta, at::empty_like(meta), at::empty_like(meta), 0.25, 0.5);
    outerStepToMeanFlat(meta, at::empty_like(meta), at::empty_like(meta), at::empty_like(meta), {.momentum = 0.9});
}

}  // namespace
}  // namespace dasgd::test
