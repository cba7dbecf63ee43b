// Linear support vector machine trained on the primal problem: hinge loss of a linear function, convex. Two classes
// have one weight vector and y = ±1; more have one each and the loss of Crammer and Singer (JMLR 2, 2001). The
// regulariser λ/2·‖w‖² is the optimiser's weight decay: with plain SGD a step is w ← w − η(λw − 1[y·wx < 1]·yx), as in
// Pegasos (Shalev-Shwartz et al., ICML 2007).
#include <torch/nn/init.h>
#include <torch/nn/modules/linear.h>

#include "core/models/classifier.h"

namespace dasgd {
namespace {

struct LinearSvmParams {
    bool bias = true;
    void visit(auto&& f) { f(bias, "bias", {.help = "Add a constant to each score"}); }
};

class LinearSvmNetwork final : public Network {
public:
    LinearSvmNetwork(const InputSpec& input, bool bias)
        : linear_(register_module(
              "linear", torch::nn::Linear(
                            torch::nn::LinearOptions(elementCount(input.shape), scoresOf(input.classes)).bias(bias)))) {
        // The problem is convex: there is no symmetry to break.
        for (at::Tensor& parameter : parameters()) torch::nn::init::zeros_(parameter);
    }
    at::Tensor forward(at::Tensor x) override { return linear_(x.flatten(1)); }

private:
    static std::int64_t scoresOf(std::int64_t classes) { return classes == 2 ? 1 : classes; }
    torch::nn::Linear linear_;
};

class LinearSvm final : public Classifier, public HasGradientNorms {
public:
    explicit LinearSvm(const LinearSvmParams& params) : params_(params) {}
    InputSpec naturalInput() const override { return {.shape = {16}, .classes = 2}; }
    at::Tensor gradientNorms(const Batch& batch) override {
        return normsOfLinear(outputGradients(batch), batch.inputs, params_.bias);
    }

protected:
    Result<std::shared_ptr<Network>> makeNetwork(const BuildContext& context) const override {
        return std::make_shared<LinearSvmNetwork>(context.input, params_.bias);
    }
    [[nodiscard]] Loss lossOf(Task) const override { return Loss::kHinge; }

private:
    LinearSvmParams params_;
};

const ModelRegistry::Add<LinearSvm, LinearSvmParams> kLinearSvmEntry{
    "linear_svm", "Linear support vector machine: hinge loss", "Shalev-Shwartz et al., ICML 2007"};

}  // namespace
}  // namespace dasgd
