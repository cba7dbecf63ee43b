// Least squares on random Fourier features: f(x) = w·φ(x), φ(x) = √(2/M)·cos(Ωx + b) (Rahimi and Recht, NIPS 2007),
// with rows of Ω from N(0, I/σ²) and b from [0, 2π), so that φ(x)·φ(y) ≈ exp(−‖x−y‖²/2σ²). Distributed as in arXiv
// 2007.00360: Ω and b are drawn from one stream that all ranks share, and only w is trained.
#include <ATen/ops/linear.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>

#include <cmath>
#include <numbers>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

struct RandomFeaturesParams {
    std::int64_t features = 1000;
    double lengthScale = 1;
    void visit(auto&& f) {
        f(features, "features", {.min = 1, .max = 1e7, .symbol = "M", .help = "Number of random features"});
        f(lengthScale, "length_scale",
          {.min = 0,
           .minOpen = true,
           .symbol = "sigma",
           .help = "Length scale of the Gaussian kernel that the features approximate"});
    }
};

class RandomFeaturesNetwork final : public Network {
public:
    RandomFeaturesNetwork(const InputSpec& input, const RandomFeaturesParams& params)
        : scale_(std::sqrt(2.0 / static_cast<double>(params.features))),
          // Drawn from the default generator, which every rank seeded alike.
          frequencies_(at::randn({params.features, elementCount(input.shape)}).div_(params.lengthScale)),
          phases_(at::rand({params.features}).mul_(2 * std::numbers::pi)),
          linear_(register_module(
              "linear", torch::nn::Linear(torch::nn::LinearOptions(params.features, input.classes).bias(false)))) {
        // The problem is convex: there is no symmetry to break.
        torch::nn::init::zeros_(linear_->weight);
    }
    at::Tensor forward(at::Tensor x) override {
        const at::Tensor& trained = linear_->weight;
        if (frequencies_.scalar_type() != trained.scalar_type() || frequencies_.device() != trained.device()) {
            frequencies_ = frequencies_.to(trained.options());
            phases_ = phases_.to(trained.options());
        }
        return linear_(at::linear(x.flatten(1), frequencies_, phases_).cos_().mul_(scale_));
    }

private:
    double scale_;
    at::Tensor frequencies_, phases_;  // no buffers of the module: buffers are averaged over ranks
    torch::nn::Linear linear_;
};

class RandomFeatures final : public NetworkModel {
public:
    explicit RandomFeatures(const RandomFeaturesParams& params) : NetworkModel({Task::kRegression}), params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {8}, .classes = 1, .task = Task::kRegression}; }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<RandomFeaturesNetwork>(context.input, params_);
    }

private:
    RandomFeaturesParams params_;
};

const ModelRegistry::Add<RandomFeatures, RandomFeaturesParams> kRandomFeaturesEntry{
    "random_features", "Least squares on random Fourier features", "Rahimi and Recht, NIPS 2007"};

}  // namespace
}  // namespace dasgd
