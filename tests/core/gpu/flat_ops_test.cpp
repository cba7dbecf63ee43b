// Each operator against its formula in plain doubles, and, to the last bit, against ATen's operators in turn.
#include "core/gpu/flat_ops.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <numeric>
#include <vector>

namespace dasgd::test {
namespace {

constexpr std::int64_t kOpSizes[] = {0, 1, 7, 1000};
// More than three blocks of one thread, the last of which is no whole number of vectors.
constexpr std::int64_t kManyBlocks = 100'003;

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
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, kManyBlocks}) {
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

// A mean that comes in parts is the sum of them in their order.
TEST_P(MergeTest, AddsUpPartsOfTheMeanInTheirOrder) {
    const auto [xi, c] = GetParam();
    const at::Tensor before = drawn(1000, 1), own = drawn(1000, 2), snapshot = drawn(1000, 3), left = drawn(1000, 4),
                     right = drawn(1000, 5);
    at::Tensor expected = before.clone(), fused = before.clone();
    mergeFlat(expected, own.add(left).add(right), snapshot, xi, c);
    mergeFlat(fused, own.clone(), snapshot, xi, c, {left, right});
    EXPECT_TRUE(at::equal(fused, expected));
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
    for (const std::int64_t size : {std::int64_t{0}, std::int64_t{7}, kManyBlocks}) {
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

// ------------------------------------------------------------------------------------- at places

TEST(AtPlaces, AreSnapshotAndMergeOfThoseAlone) {
    const at::Tensor before = drawn(1000, 1), places = at::arange(5, 1000, 3, at::kLong);
    for (const auto& [type, tolerance] : {std::pair{at::kFloat, 1e-6}, {at::kDouble, 1e-14}, {at::kBFloat16, 0.03}}) {
        at::Tensor weights = before.to(type), rest = weights.clone();
        at::Tensor out = at::empty({places.numel()}, type), copy = at::empty_like(out);
        snapshotFlatAt(weights, places, out, copy, 1.0 / 3);
        EXPECT_TRUE(at::equal(copy, weights.index_select(0, places)));
        EXPECT_TRUE(at::equal(out, copy.mul(at::scalar_tensor(1.0 / 3, type))));
        const at::Tensor mean = drawn(places.numel(), 2, type);
        const at::Tensor expected =
            byElement({copy, mean, copy}, [](const auto& of) { return of[0] + (of[1] - of[2]); });
        mergeFlatAt(weights, places, mean.clone(), copy);
        expectClose(weights.index_select(0, places), expected, tolerance);
        rest.index_copy_(0, places, weights.index_select(0, places));
        EXPECT_TRUE(at::equal(weights, rest)) << "nothing else changes";
    }
}

// ------------------------------------------------------------------------------------- combinations

TEST(Combine, IsTheFormula) {
    for (const auto& [type, tolerance] : {std::pair{at::kFloat, 1e-5}, {at::kDouble, 1e-14}, {at::kBFloat16, 0.1}}) {
        for (const std::int64_t size : kOpSizes) {
            for (const std::size_t count : {1, 2, 3, 4}) {
                std::vector<FlatTerm> terms;
                std::vector<at::Tensor> all;
                for (std::size_t j = 0; j < count; ++j) {
                    all.push_back(drawn(size, j + 1, type));
                    terms.push_back({all.back(), 0.25 * static_cast<double>(j + 3)});
                }
                const at::Tensor sum = byElement(all, [](const auto& of) {
                    double y = 0;
                    for (std::size_t j = 0; j < of.size(); ++j) y += 0.25 * static_cast<double>(j + 3) * of[j];
                    return y;
                });
                at::Tensor out = at::empty({size}, type), copy = at::empty({size}, type), base = drawn(size, 9, type);
                combineFlat(terms, {.out = out, .scale = 0.5, .copy = copy});
                expectClose(copy, sum, tolerance);
                expectClose(out, sum.mul(0.5), tolerance);
                combineFlat(terms, {.out = out, .scale = 0.5, .copy = copy, .base = base, .share = -2});
                expectClose(copy, sum, tolerance);
                expectClose(out, base.to(at::kDouble).sub(sum, 2).mul(0.5), tolerance);
            }
        }
    }
}

// The rules that algorithms take from it, as they were written in ATen's operators.
TEST(Combine, IsToTheLastBitWhatAtenComputesInTurn) {
    const at::Tensor w = drawn(1000, 1), z = drawn(1000, 2), p = drawn(1000, 3);
    const auto inPlaceOf = [](const at::Tensor& tensor) { return tensor.clone(); };
    {
        at::Tensor weights = inPlaceOf(w), sent = at::empty_like(w);
        combineFlat({{weights, 1.0 / 3}}, {.out = weights, .copy = sent});
        EXPECT_TRUE(at::equal(weights, w.mul(1.0 / 3))) << "a share";
        EXPECT_TRUE(at::equal(sent, weights));
    }
    {
        at::Tensor weights = inPlaceOf(w);
        combineFlat({{weights}, {z}, {p}}, {.out = weights});
        EXPECT_TRUE(at::equal(weights, w.add(z).add(p))) << "a sum";
    }
    {
        at::Tensor weights = inPlaceOf(w);
        combineFlat({{z}, {weights, -1}}, {.out = weights, .scale = 1.0 / 3});
        EXPECT_TRUE(at::equal(weights, z.sub(w).mul(1.0 / 3))) << "a share of a distance";
    }
    {
        at::Tensor out = inPlaceOf(z), left = at::empty_like(z);
        combineFlat({{out, 0.7}, {w, 0.1}}, {.out = out, .copy = left});
        EXPECT_TRUE(at::equal(out, z.mul(0.7).add(w, 0.1))) << "an elastic centre";
        EXPECT_TRUE(at::equal(left, out));
    }
    for (const double kept : {0.7, 1.0, 0.0}) {
        at::Tensor slow = inPlaceOf(p), out = inPlaceOf(z);
        combineFlat({{slow, kept}, {out}, {w, -1}},
                    {.out = out, .scale = 0.3, .copy = slow, .base = out, .share = -0.9});
        const at::Tensor expected = p.mul(kept).add(z).sub(w);
        EXPECT_TRUE(at::equal(slow, expected)) << "an anchor's momentum";
        EXPECT_TRUE(at::equal(out, z.sub(expected, 0.9).mul(0.3))) << "and its step";
    }
}

TEST(Combine, RefusesWhatHasNoMeaning) {
    EXPECT_THROW(combineFlat({}, {.out = drawn(3, 1)}), c10::Error);
    EXPECT_THROW(combineFlat(std::vector(5, FlatTerm{drawn(3, 1)}), {.out = drawn(3, 1)}), c10::Error);
    EXPECT_THROW(combineFlat({{drawn(3, 1)}}, {.out = drawn(3, 2), .base = drawn(3, 3)}), c10::Error);
}

// ------------------------------------------------------------------------------------- sums

TEST(Sum, IsTheFormula) {
    for (const auto& [type, tolerance] : {std::pair{at::kFloat, 1e-5}, {at::kDouble, 1e-14}, {at::kBFloat16, 0.1}}) {
        for (const std::int64_t size : kOpSizes) {
            for (const std::size_t count : {1, 2, 5, 70}) {
                std::vector<at::Tensor> x;
                for (std::size_t j = 0; j < count; ++j) x.push_back(drawn(size, j + 1, type).mul(1.0 / 8));
                const at::Tensor expected =
                    byElement(x, [](const auto& of) { return 0.25 * std::accumulate(of.begin(), of.end(), 0.0); });
                at::Tensor out = at::empty({size}, type), copy = at::empty({size}, type);
                sumFlat(x, {.out = out, .scale = 0.25, .divisor = 3, .copy = copy});
                expectClose(copy, expected, tolerance);
                expectClose(out, expected.div(3), tolerance);
            }
        }
    }
}

// The rules that algorithms take from it, as they were written in ATen's operators.
TEST(Sum, IsToTheLastBitWhatAtenComputesInTurn) {
    const at::Tensor x = drawn(1000, 1), left = drawn(1000, 2), right = drawn(1000, 3);
    {
        at::Tensor out = x.clone();
        sumFlat({out, left, right}, {.out = out, .divisor = 3});
        EXPECT_TRUE(at::equal(out, x.add(left).add(right).div(3))) << "a mean";
    }
    {
        at::Tensor out = x.clone(), sent = at::empty_like(x);
        sumFlat({out, left, right}, {.out = out, .scale = 1.0 / 3, .divisor = 0.7, .copy = sent});
        EXPECT_TRUE(at::equal(sent, x.add(left).add(right).mul(1.0 / 3))) << "a share";
        EXPECT_TRUE(at::equal(out, sent.div(0.7))) << "and what it stands for";
    }
    {
        at::Tensor out = at::empty_like(x);
        sumFlat({x}, {.out = out});
        EXPECT_TRUE(at::equal(out, x)) << "of one alone";
    }
    EXPECT_THROW(sumFlat({}, {.out = drawn(3, 1)}), c10::Error);
}

// ------------------------------------------------------------------------------------- outer steps

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
            const at::Tensor mean = drawn(size, 3), u = hasVelocity ? velocity : mean;
            const auto moved = [&, hasVelocity = hasVelocity](bool wantsVelocity) {
                return byElement({outer, mean, u}, [&](const auto& of) {
                    double own = of[2];
                    const double after = descended(of[0], of[1], own, hasVelocity, step);
                    return wantsVelocity ? own : after;
                });
            };
            const at::Tensor expected = moved(false), expectedVelocity = moved(true);
            outerStepLateFlat(outer, mean.clone(), velocity, drawn(size, 4), step, {});
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
            outerStepLateFlat(expected, outer.sub(mean), velocity.clone(), weights.clone(), step, {});
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

// Each way to form Δ, and what goes where, to the last bit.
TEST_P(OuterStepTest, OneRoundLateItGivesTheWeightsAway) {
    const OuterStep& step = GetParam();
    for (const bool none : {false, true}) {
        for (const bool fromPresent : {false, true}) {
            for (const bool eager : {false, true}) {
                const at::Tensor outer = drawn(1000, 1), mean = drawn(1000, 2), weights = drawn(1000, 3),
                                 left = drawn(1000, 4), velocity = drawn(1000, 5);
                const at::Tensor leaving = (fromPresent ? weights : outer.sub(weights)).mul(1.0 / 3);
                at::Tensor delta = none ? at::zeros_like(mean) : fromPresent ? outer.sub(mean) : mean.clone();
                if (eager && !none) delta = delta.sub(left);
                if (eager) delta = delta.add(leaving);
                at::Tensor expected = outer.clone(), expectedVelocity = velocity.clone();
                outerStepLateFlat(expected, delta, expectedVelocity, weights.clone(), step, {});

                at::Tensor theta = outer.clone(), m = mean.clone(), u = velocity.clone(), w = weights.clone(),
                           own = eager ? left.clone() : at::Tensor();
                outerStepLateFlat(theta, m, u, w, step,
                                  {.none = none, .fromPresent = fromPresent, .share = 1.0 / 3, .own = own});
                EXPECT_TRUE(at::equal(theta, expected));
                EXPECT_TRUE(at::equal(u, expectedVelocity));
                EXPECT_TRUE(at::equal(w, theta));
                EXPECT_TRUE(at::equal(m, leaving)) << "what leaves";
                if (eager) {
                    EXPECT_TRUE(at::equal(own, leaving));
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Settings, OuterStepTest,
                         testing::Values(OuterStep{}, OuterStep{.learningRate = 0.7, .momentum = 0.9, .nesterov = true},
                                         OuterStep{.momentum = 0.5, .penalty = 3, .clip = 0.2},
                                         OuterStep{.learningRate = 0.7, .momentum = 0.9, .localWeight = 0.5}));

// The mean is formed in the place of the weights where nothing is overlapped.
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

// Tensors that are shapes only have nothing to compute, and nothing to fail.
TEST(FlatOps, TakeTensorsOfTheMetaDevice) {
    const at::Tensor meta = at::empty({1000}, at::TensorOptions(at::kMeta));
    EXPECT_NO_THROW(snapshotFlat(meta, at::empty_like(meta), at::empty_like(meta), 0.5));
    EXPECT_NO_THROW(mergeFlat(meta, at::empty_like(meta), at::empty_like(meta), 0.25, 0.5));
    EXPECT_NO_THROW(
        outerStepToMeanFlat(meta, at::empty_like(meta), at::empty_like(meta), at::empty_like(meta), {.momentum = 0.9}));
    EXPECT_NO_THROW(combineFlat({{meta}, {meta, -1}}, {.out = meta, .copy = at::empty_like(meta)}));
    EXPECT_NO_THROW(sumFlat({meta, meta}, {.out = meta, .divisor = 3, .copy = at::empty_like(meta)}));
    EXPECT_NO_THROW(outerStepLateFlat(meta, at::empty_like(meta), at::empty_like(meta), at::empty_like(meta), {}, {}));
}

}  // namespace
}  // namespace dasgd::test
