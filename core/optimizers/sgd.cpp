#include <ATen/ops/_fused_sgd.h>
#include <torch/types.h>

#include <optional>
#include <utility>

#include "core/optimizers/optimizer.h"
#include "core/optimizers/parameter_groups.h"

namespace dasgd {
namespace {

struct SgdParams {
    double learningRate = 0.05;
    double momentum = 0.9;
    double dampening = 0;
    double weightDecay = 0;
    bool nesterov = false;
    NoDecay noDecay;

    void visit(auto&& f) {
        f(learningRate, "learning_rate",
          {.min = 0, .max = 1e6, .symbol = "η", .help = "Step size before the schedule"});
        f(momentum, "momentum", {.min = 0, .max = 1, .symbol = "μ", .help = "Share of the last update that is kept"});
        f(dampening, "dampening", {.min = 0, .max = 1, .help = "Share of the gradient kept out of the momentum"});
        f(weightDecay, "weight_decay", {.min = 0, .max = 1e6, .symbol = "λ", .help = "Added to the gradient as λw"});
        f(nesterov, "nesterov", {.help = "Look ahead by one momentum step"});
        noDecay.visit(f);
    }
    std::optional<FieldError> check() const {
        if (nesterov && (momentum == 0 || dampening != 0)) {
            return FieldError{"nesterov", "nesterov needs momentum > 0 and dampening = 0"};
        }
        return std::nullopt;
    }
};

// g += λw; v = g at first, then μv + (1−dampening)g; u = nesterov ? g + μv : v; w −= ηu. The order of torch.optim.SGD.
class Sgd final : public Optimizer, public SteadyStep {
public:
    explicit Sgd(const SgdParams& params) : params_(params) {}

    void step(FlatParams& flat, double learningRate) override {
        if (params_.momentum != 0 && !velocity_.defined()) velocity_ = at::zeros_like(flat.weights());
        update(flat, learningRate, std::exchange(first_, false));
    }
    [[nodiscard]] bool isSteady() const override { return !first_; }
    void steadyStep(FlatParams& flat, const at::Tensor& learningRate) override { update(flat, learningRate, false); }

    double learningRate() const override { return params_.learningRate; }
    std::vector<at::Tensor> state() override {
        return velocity_.defined() && !first_ ? std::vector<at::Tensor>{velocity_} : std::vector<at::Tensor>{};
    }
    std::int64_t stateTensors() const override { return params_.momentum != 0 ? 1 : 0; }
    void reset() override { first_ = true; }
    std::unique_ptr<Optimizer> copyOfPart(std::int64_t begin, std::int64_t end) const override {
        auto copy = std::make_unique<Sgd>(params_);
        copy->velocity_ = copyOfState(velocity_, begin, end);
        copy->first_ = first_;
        return copy;
    }
    void save(Archive& archive) const override {
        archive.put("steps", static_cast<std::int64_t>(!first_));
        if (velocity_.defined() && !first_) archive.put("velocity", velocity_);
    }
    Status load(const Archive& archive, FlatParams& params) override {
        DASGD_ASSIGN(const std::int64_t steps, archive.integer("steps"));
        first_ = steps == 0;
        if (first_ || params_.momentum == 0) return {};
        DASGD_ASSIGN(velocity_, readState(archive, "velocity", params));
        return {};
    }

private:
    // `Rate`: a number or a tensor.
    template <class Rate>
    void update(FlatParams& flat, const Rate& learningRate, bool first) {
        const at::NoGradGuard noGrad;
        for (const ParameterGroup& group : groupsOf(flat, params_.noDecay, params_.weightDecay)) {
            const auto velocities = velocity_.defined() ? group.of(velocity_) : std::vector<at::Tensor>{};
            at::_fused_sgd_(group.of(flat.weights()), group.of(flat.gradients()), velocities, group.weightDecay,
                            params_.momentum, learningRate, params_.dampening, params_.nesterov, /*maximize=*/false,
                            first);
        }
    }

    SgdParams params_;
    at::Tensor velocity_;
    bool first_ = true;  // the next step takes the gradient itself as velocity
};

const OptimizerRegistry::Add<Sgd, SgdParams> kSgdEntry{"sgd", "SGD with momentum, Nesterov and coupled weight decay"};

}  // namespace
}  // namespace dasgd
