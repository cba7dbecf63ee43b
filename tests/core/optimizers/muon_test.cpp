#include <ATen/ops/linalg_svdvals.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/optimizers/optimizer.h"
#include "tests/support/optimizers.h"

namespace dasgd {
namespace {

using namespace dasgd::test;

using PlainMatrix = std::vector<std::vector<double>>;

PlainMatrix plainMatrixOf(const at::Tensor& matrix) {
    PlainMatrix rows(static_cast<std::size_t>(matrix.size(0)));
    for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::int64_t c = 0; c < matrix.size(1); ++c) {
            rows[r].push_back(matrix[static_cast<std::int64_t>(r)][c].item<double>());
        }
    }
    return rows;
}

at::Tensor tensorOfPlain(const PlainMatrix& rows) {
    std::vector<at::Tensor> tensors;
    for (const auto& row : rows) tensors.push_back(torch::tensor(row, at::kDouble));
    return torch::stack(tensors);
}

PlainMatrix plainProduct(const PlainMatrix& a, const PlainMatrix& b) {
    PlainMatrix c(a.size(), std::vector<double>(b[0].size(), 0.0));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < b[0].size(); ++j) {
            for (std::size_t k = 0; k < b.size(); ++k) c[i][j] += a[i][k] * b[k][j];
        }
    }
    return c;
}

PlainMatrix plainTransposed(const PlainMatrix& a) {
    PlainMatrix t(a[0].size(), std::vector<double>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i) {
        for (std::size_t j = 0; j < a[0].size(); ++j) t[j][i] = a[i][j];
    }
    return t;
}

// p(X) = 3.4445 X − 4.7750 XXᵀX + 2.0315 XXᵀXXᵀX of the post, number by number, without turning a tall matrix.
PlainMatrix newtonSchulz(const PlainMatrix& x) {
    const PlainMatrix gram = plainProduct(x, plainTransposed(x));
    const PlainMatrix cubic = plainProduct(gram, x), quintic = plainProduct(gram, cubic);
    PlainMatrix y = x;
    for (std::size_t i = 0; i < x.size(); ++i) {
        for (std::size_t j = 0; j < x[0].size(); ++j) {
            y[i][j] = 3.4445 * x[i][j] - 4.7750 * cubic[i][j] + 2.0315 * quintic[i][j];
        }
    }
    return y;
}

PlainMatrix plainOrthogonal(PlainMatrix x, int iterations) {
    double squares = 0;
    for (const auto& row : x) {
        for (const double value : row) squares += value * value;
    }
    for (auto& row : x) {
        for (double& value : row) value /= std::sqrt(squares) + 1e-7;
    }
    for (int i = 0; i < iterations; ++i) x = newtonSchulz(x);
    return x;
}

// A wide and a tall matrix between two layers: 5 × 7 and 6 × 5.
bool isHiddenMatrix(const at::Tensor& weights) {
    return weights.dim() == 2 && (weights.size(0) == 5 || weights.size(0) == 6);
}

struct MuonCase {
    const char* name;
    const char* scale;
    bool nesterov, biasNormExempt;
    int iterations;
    double (*factor)(double rows, double columns);
};

class MuonTest : public testing::TestWithParam<MuonCase> {};

TEST_P(MuonTest, MatchesTheRule) {
    const MuonCase& c = GetParam();
    constexpr double kMomentum = 0.9, kDecay = 0.1, kBeta1 = 0.8, kBeta2 = 0.95, kEpsilon = 1e-6, kAdamRatio = 0.25;
    auto ours = createOptimizer("muon", table({{"learning_rate", number(0.02)},
                                               {"adam_learning_rate", number(0.02 * kAdamRatio)},
                                               {"momentum", number(kMomentum)},
                                               {"nesterov", boolean(c.nesterov)},
                                               {"iterations", integer(c.iterations)},
                                               {"scale", text(c.scale)},
                                               {"beta1", number(kBeta1)},
                                               {"beta2", number(kBeta2)},
                                               {"epsilon", number(kEpsilon)},
                                               {"weight_decay", number(kDecay)},
                                               {"no_decay", text(noDecayOf(c.biasNormExempt))}}));
    int matrices = 0;
    const double worst = largestDifferenceFromRule(*ours, 20, c.biasNormExempt, [&](const RuleStep& at) {
        if (at.state.empty()) at.state = {torch::zeros_like(at.weights), torch::zeros_like(at.weights)};
        if (isHiddenMatrix(at.weights)) {
            ++matrices;
            at.state[0] = kMomentum * at.state[0] + (1 - kMomentum) * at.gradient;
            const at::Tensor u =
                c.nesterov ? (1 - kMomentum) * at.gradient + kMomentum * at.state[0] : at.state[0].clone();
            const auto rows = static_cast<double>(u.size(0)), columns = static_cast<double>(u.size(1));
            at.weights.mul_(1 - at.rate * kDecay);
            at.weights.sub_(at.rate * c.factor(rows, columns) *
                            tensorOfPlain(plainOrthogonal(plainMatrixOf(u), c.iterations)));
            return;
        }
        const double rate = at.rate * kAdamRatio;
        at.state[0] = kBeta1 * at.state[0] + (1 - kBeta1) * at.gradient;
        at.state[1] = kBeta2 * at.state[1] + (1 - kBeta2) * at.gradient.square();
        const at::Tensor mean = at.state[0] / (1 - std::pow(kBeta1, at.step));
        const at::Tensor meanSquare = at.state[1] / (1 - std::pow(kBeta2, at.step));
        if (at.decayed) at.weights.mul_(1 - rate * kDecay);
        at.weights.sub_(rate * mean / (meanSquare.sqrt() + kEpsilon));
    });
    EXPECT_EQ(matrices, 2 * 20);
    EXPECT_LT(worst, 1e-6) << "directions with little gradient are amplified 486 times by five iterations";
}

double muonShapeFactor(double rows, double columns) { return rows > columns ? std::sqrt(rows / columns) : 1; }
double muonAdamFactor(double rows, double columns) { return 0.2 * std::sqrt(rows > columns ? rows : columns); }
double muonOperatorFactor(double rows, double columns) { return std::sqrt(rows / columns); }

INSTANTIATE_TEST_SUITE_P(All, MuonTest,
                         testing::Values(MuonCase{"Published", "shape", true, false, 5, muonShapeFactor},
                                         MuonCase{"WithoutNesterov", "shape", false, false, 5, muonShapeFactor},
                                         MuonCase{"AsLargeAsAdam", "adam-rms", true, true, 5, muonAdamFactor},
                                         MuonCase{"Operator", "operator", false, false, 5, muonOperatorFactor},
                                         MuonCase{"OneIteration", "shape", true, true, 1, muonShapeFactor}),
                         [](const auto& parameters) { return parameters.param.name; });

// The polynomial applied five times takes [0.002, 1] to [0.681, 1.203].
TEST(MuonRuleTest, EvensOutTheSingularValuesOfAStep) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().normal_();
    const at::Tensor before = flat.weights().clone();
    createOptimizer("muon", table({{"scale", text("shape")}}))->step(flat, 0.5);
    int seen = 0;
    for (const FlatParams::Slot& slot : flat.slots()) {
        if (!slot.hidden) continue;
        const auto matrixOf = [&](const at::Tensor& whole) {
            return whole.narrow(0, slot.offset, slot.numel).view(slot.parameter.sizes());
        };
        const double scale =
            muonShapeFactor(static_cast<double>(slot.parameter.size(0)), static_cast<double>(slot.parameter.size(1)));
        const at::Tensor gradient = matrixOf(flat.gradients());
        const at::Tensor values = at::linalg_svdvals(gradient) / gradient.norm();
        const at::Tensor stepped = at::linalg_svdvals(matrixOf(before) - matrixOf(flat.weights())) / (0.5 * scale);
        ASSERT_GT(values.min().item<double>(), 0.002) << "a draw that shows the bound";
        EXPECT_GT(stepped.min().item<double>(), 0.681);
        EXPECT_LT(stepped.max().item<double>(), 1.203);
        ++seen;
    }
    EXPECT_EQ(seen, 2);
}

// A convolution's kernels step as the matrix with a row for each output.
TEST(MuonRuleTest, KernelsAreAMatrix) {
    auto model = buildModel("lenet", {.shape = {1, 28, 28}, .classes = 10});
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().normal_();
    const at::Tensor before = flat.weights().clone();
    createOptimizer("muon", {})->step(flat, 0.1);
    int kernels = 0;
    for (const FlatParams::Slot& slot : flat.slots()) {
        if (!slot.hidden || slot.parameter.dim() != 4) continue;
        const at::Tensor step = (before - flat.weights()).narrow(0, slot.offset, slot.numel);
        const at::Tensor gradient = flat.gradients().narrow(0, slot.offset, slot.numel);
        const std::int64_t rows = slot.parameter.size(0);
        const double scale = muonShapeFactor(static_cast<double>(rows), static_cast<double>(slot.numel / rows));
        const at::Tensor expected = tensorOfPlain(plainOrthogonal(plainMatrixOf(gradient.view({rows, -1})), 5));
        EXPECT_TRUE(step.view({rows, -1}).allclose(0.1 * scale * expected, 1e-6, 1e-9));
        ++kernels;
    }
    EXPECT_EQ(kernels, 1) << "the second convolution";
}

TEST(MuonRuleTest, AGradientOfZeroMovesNoMatrix) {
    auto model = optimizedNetwork();
    FlatParams flat(model->module(), at::kDouble);
    flat.gradients().zero_();
    const at::Tensor before = flat.weights().clone();
    createOptimizer("muon", {})->step(flat, 0.5);
    EXPECT_TRUE(flat.weights().equal(before));
}

}  // namespace
}  // namespace dasgd
