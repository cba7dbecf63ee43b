#include <torch/types.h>

#include "core/optimizers/optimizer.h"
#include "core/optimizers/parameter_groups.h"
#include "core/optimizers/trust_ratio.h"

namespace dasgd {
namespace {

struct LarsParams {
    double learningRate = 1;
    double momentum = 0.9;
    double weightDecay = 0;
    double trustCoefficient = 0.001;
    NoDecay noDecay;

    void visit(auto&& f) {
        f(learningRate, "learning_rate",
          {.min = 0, .max = 1e6, .symbol = "γ", .help = "Step size before the schedule and the layer's ratio"});
        f(momentum, "momentum", {.min = 0, .max = 1, .symbol = "m", .help = "Share of the last update that is kept"});
        f(weightDecay, "weight_decay",
          {.min = 0, .max = 1e6, .symbol = "β", .help = "Added to the gradient as βw, and to its norm as β‖w‖"});
        f(trustCoefficient, "trust_coefficient",
          {.min = 0,
           .max = 1e6,
           .minOpen = true,
           .symbol = "η",
           .help = "How far a layer may move: norm of its update ÷ norm of its weights at a rate of 1"});
        noDecay.visit(f);
    }
};

// λ = η‖w‖ / (‖g‖ + β‖w‖) of each layer; v = mv + γλ(g + βw); w −= v. Algorithm 1 of the paper: the rate is inside the
// velocity, so that a rate that falls leaves the velocity of the steps before as it was (others multiply the velocity
// by the rate; with a constant rate the two are equal). Parameters without decay are not adapted: λ = 1 and β = 0.
class Lars final : public Optimizer {
public:
    explicit Lars(const LarsParams& params) : params_(params) {}

    void step(FlatParams& flat, double learningRate) override {
        const at::NoGradGuard noGrad;
        if (!velocity_.defined()) velocity_ = at::zeros_like(flat.weights());
        const at::Tensor weightNorms = layerNorms(flat, flat.weights());
        const at::Tensor ratios = ratioOrOne(weightNorms * params_.trustCoefficient,
                                             layerNorms(flat, flat.gradients()) + weightNorms * params_.weightDecay);
        velocity_.mul_(params_.momentum);
        const auto& slots = flat.slots();
        for (std::size_t layer = 0; layer < slots.size(); ++layer) {
            const auto part = [&](at::Tensor& whole) {
                return whole.narrow(0, slots[layer].offset, slots[layer].numel);
            };
            at::Tensor velocity = part(velocity_);
            if (params_.noDecay.exempts(slots[layer])) {
                velocity.add_(part(flat.gradients()), learningRate);
                continue;
            }
            const at::Tensor direction = part(flat.gradients()).add(part(flat.weights()), params_.weightDecay);
            velocity.addcmul_(direction, ratios[static_cast<std::int64_t>(layer)], learningRate);
        }
        flat.weights().sub_(velocity_);
    }

    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override {
        return velocity_.defined() ? std::vector<at::Tensor>{velocity_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return 1; }
    void reset() override { velocity_.reset(); }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        auto copy = std::make_unique<Lars>(params_);
        copy->velocity_ = copyOfState(velocity_, begin, end);
        return copy;
    }
    void save(Archive& archive) const override {
        archive.put("steps", static_cast<std::int64_t>(velocity_.defined()));
        if (velocity_.defined()) archive.put("velocity", velocity_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(const std::int64_t steps, archive.integer("steps"));
        if (steps == 0) return {};
        DASGD_ASSIGN(velocity_, readState(archive, "velocity", params));
        return {};
    }

private:
    LarsParams params_;
    at::Tensor velocity_;
};

const OptimizerRegistry::Add<Lars, LarsParams> kLarsEntry{
    "lars", "Layer-wise adaptive rate scaling of momentum SGD", "arXiv 1708.03888", {.layerwise = true}};

}  // namespace
}  // namespace dasgd
