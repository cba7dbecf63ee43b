// Muon (Jordan et al., "Muon: An optimizer for hidden layers in neural networks", 2024,
// kellerjordan.github.io/posts/muon) for the matrices of hidden layers (core/step/hidden_matrices.h), AdamW for all
// other parameters, as its authors have it (KellerJordan/Muon, muon.py). A convolution's kernels are a matrix with a
// row for each output.
//   m ← μm + (1−μ)g    u = (1−μ)g + μm, without Nesterov m
//   X = u / (‖u‖_F + 1e-7), then five times  A = XXᵀ, X ← aX + (bA + cA²)X  with a, b, c = 3.4445, −4.7750, 2.0315
//   w ← (1 − ηλ)w − η·s·X
// The iteration works on the smaller side of the matrix. It takes singular values to between 0.68 and 1.21, not to 1.
// Scale s of a matrix of R rows and C columns:
//   shape     √max(1, R/C), in muon.py
//
//   adam-rms  0.2·√max(R, C) (Liu et al., arXiv 2502.16982, equation 4): elements as large as those of AdamW's step
//
//   operator  √(R/C): norm 1 between vectors of root mean square 1 (arXiv 2310.17813); in the code of MuLoCo
//
// Variants: the iteration computes in the type of the weights, in muon.py in bfloat16; s counts a kernel's columns as
// the iteration does, while muon.py takes the kernel's height and width. Memory: m and the mean square of AdamW, 2 N,
// though the matrices of hidden layers need no mean square: the state of an optimiser here is flat.
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/addmm.h>
#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/optimizers/optimizer.h"
#include "core/optimizers/parameter_groups.h"

namespace dasgd {
namespace {

struct MuonParams {
    double learningRate = 0.02;
    double momentum = 0.95;
    bool nesterov = true;
    std::int64_t iterations = 5;
    std::string scale = "shape";
    double adamLearningRate = 3e-4;
    double beta1 = 0.9;
    double beta2 = 0.95;
    double epsilon = 1e-10;
    double weightDecay = 0;
    NoDecay noDecay;

    void visit(auto&& f) {
        f(learningRate, "learning_rate",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .symbol = "η",
           .help = "Step size before the schedule, of the matrices of hidden layers"});
        f(momentum, "momentum",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "μ", .help = "Decay of the mean gradient of these matrices"});
        f(nesterov, "nesterov", {.help = "Look ahead by one momentum step"});
        f(iterations, "iterations",
          {.min = 1, .max = 100, .help = "Steps of the Newton-Schulz iteration that evens out singular values"});
        f(scale, "scale",
          {.symbol = "s",
           .help = "Size of a step of a matrix by its shape. shape: √max(1, rows ÷ columns); adam-rms: 0.2·√max(rows, "
                   "columns), as large as a step of AdamW; operator: √(rows ÷ columns)",
           .choices = {"shape", "adam-rms", "operator"}});
        f(adamLearningRate, "adam_learning_rate",
          {.min = 0,
           .max = 1e6,
           .help = "Step size of AdamW, which steps all other parameters; the schedule scales both alike"});
        f(beta1, "beta1",
          {.min = 0, .max = 1, .maxOpen = true, .symbol = "β1", .help = "Decay of AdamW's mean gradient"});
        f(beta2, "beta2", {.min = 0, .max = 1, .maxOpen = true, .symbol = "β2", .help = "Decay of its mean square"});
        f(epsilon, "epsilon", {.min = 0, .max = 1, .symbol = "ε", .help = "Keeps its division away from zero"});
        f(weightDecay, "weight_decay",
          {.min = 0, .max = 1e6, .symbol = "λ", .help = "Shrinks the weights by ηλ a step, each by its own step size"});
        noDecay.visit(f);
    }
};

// The rows or columns of `matrix`, whichever are fewer, made nearly orthonormal.
at::Tensor orthogonalized(const at::Tensor& matrix, std::int64_t iterations) {
    constexpr double kA = 3.4445, kB = -4.7750, kC = 2.0315;
    const bool tall = matrix.size(0) > matrix.size(1);
    at::Tensor x = tall ? matrix.t() : matrix;
    x = x / (x.norm() + 1e-7);
    for (std::int64_t i = 0; i < iterations; ++i) {
        const at::Tensor gram = x.mm(x.t());
        x = at::addmm(x, at::addmm(gram, gram, gram, kB, kC), x, kA, 1);
    }
    return tall ? x.t() : x;
}

class Muon final : public Optimizer {
public:
    explicit Muon(const MuonParams& params) : params_(params) {}

    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        if (steps_ == 0) begin(flat);
        ++steps_;
        for (const FlatParams::Slot& slot : flat.slots()) {
            if (slot.hidden) stepMatrix(flat, slot, learningRate);
        }
        const double rate = learningRate / params_.learningRate * params_.adamLearningRate;
        for (const bool decays : {true, false}) stepOthers(flat, decays, rate);
    }

    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override {
        return steps_ > 0 ? std::vector<at::Tensor>{mean_, meanSquare_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 2; }
    void reset() override { steps_ = 0; }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        auto copy = std::make_unique<Muon>(params_);
        copy->mean_ = copyOfState(mean_, begin, end);
        copy->meanSquare_ = copyOfState(meanSquare_, begin, end);
        copy->steps_ = steps_;
        return copy;
    }
    void save(Archive& archive) const override {
        archive.put("steps", steps_);
        if (steps_ == 0) return;
        archive.put("mean", mean_);
        archive.put("mean_square", meanSquare_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(steps_, archive.integer("steps"));
        if (steps_ == 0) return {};
        DASGD_ASSIGN(mean_, readState(archive, "mean", params));
        DASGD_ASSIGN(meanSquare_, readState(archive, "mean_square", params));
        return {};
    }

private:
    // Begins the state at zero, after a reset in the memory that it had before.
    void begin(FlatParams& flat) {
        if (!mean_.defined()) {
            mean_ = at::empty_like(flat.weights());
            meanSquare_ = at::empty_like(flat.weights());
        }
        mean_.zero_();
        meanSquare_.zero_();
    }

    [[nodiscard]] double scaleOf(const at::Tensor& matrix) const {
        const auto rows = static_cast<double>(matrix.size(0)), columns = static_cast<double>(matrix.size(1));
        if (params_.scale == "adam-rms") return 0.2 * std::sqrt(std::max(rows, columns));
        return std::sqrt(params_.scale == "operator" ? rows / columns : std::max(1.0, rows / columns));
    }

    void stepMatrix(FlatParams& flat, const FlatParams::Slot& slot, double rate) {
        // The outputs are the outermost dimension of kernels in either layout, so that these are rows; the order of the
        // columns does not matter to the iteration.
        const auto part = [&](const at::Tensor& whole) {
            return whole.narrow(0, slot.offset, slot.numel).view({slot.parameter.size(0), -1});
        };
        const at::Tensor gradient = part(flat.gradients()), weights = part(flat.weights());
        const at::Tensor mean = part(mean_).lerp_(gradient, 1 - params_.momentum);
        const at::Tensor direction = params_.nesterov ? gradient.lerp(mean, params_.momentum) : mean;
        weights.mul_(1 - rate * params_.weightDecay);
        weights.sub_(orthogonalized(direction, params_.iterations), rate * scaleOf(weights));
    }

    // Steps the other parameters with weight decay, or those without.
    void stepOthers(FlatParams& flat, bool decays, double rate) {
        std::vector<at::Tensor> weights, gradients, means, meanSquares;
        for (const FlatParams::Slot& slot : flat.slots()) {
            if (slot.hidden || params_.noDecay.exempts(slot) == decays) continue;
            const auto part = [&](const at::Tensor& whole) { return whole.narrow(0, slot.offset, slot.numel); };
            weights.push_back(part(flat.weights()));
            gradients.push_back(part(flat.gradients()));
            means.push_back(part(mean_));
            meanSquares.push_back(part(meanSquare_));
        }
        if (weights.empty()) return;
        const at::Tensor count = at::full({}, static_cast<double>(steps_), flat.weights().options().dtype(at::kFloat));
        at::_fused_adamw_(weights, gradients, means, meanSquares, {}, std::vector<at::Tensor>(weights.size(), count),
                          rate, params_.beta1, params_.beta2, decays ? params_.weightDecay : 0, params_.epsilon,
                          /*amsgrad=*/false, /*maximize=*/false);
    }

    MuonParams params_;
    at::Tensor mean_, meanSquare_;
    std::int64_t steps_ = 0;
};

const OptimizerRegistry::Add<Muon, MuonParams> kMuonEntry{
    "muon",
    "Momentum made orthogonal for the matrices of hidden layers, AdamW for the rest",
    "Jordan et al. 2024; arXiv 2502.16982",
    {.layerwise = true, .needsHiddenMatrices = true}};

}  // namespace
}  // namespace dasgd
