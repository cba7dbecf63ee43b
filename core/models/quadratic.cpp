// A quadratic objective for theory, one for each worker: f_i(w) = ½ (w − b_i)ᵀ A (w − b_i). The objective of the run is
// the mean over workers, so evaluate() returns this rank's f_i as one sample. Gradient noise N(0, noise²) per
// coordinate and step comes from a generator of the rank's own.
#include <torch/nn/module.h>
#include <torch/types.h>

#include <optional>

#include "core/base/check.h"
#include "core/models/common_pass_state.h"
#include "core/models/default_generator.h"
#include "core/models/model.h"

namespace dasgd {
namespace {

using Matrix = std::vector<std::vector<double>>;

struct QuadraticParams {
    Matrix matrix;
    Matrix targets;
    std::vector<double> start;
    double noise = 0;

    void visit(auto&& f) {
        f(matrix, "matrix", {.symbol = "A", .help = "Square matrix of the curvature, row by row"});
        f(targets, "targets", {.symbol = "b", .help = "Minimum of each worker's bowl, one row a worker"});
        f(start, "start", {.symbol = "w0", .help = "Starting point; the origin where empty"});
        f(noise, "noise", {.min = 0, .symbol = "sigma", .help = "Standard deviation of the gradient noise"});
    }

    std::optional<FieldError> check() const {
        const std::size_t n = matrix.size();
        if (n == 0) return FieldError{"matrix", "quadratic needs a matrix, as matrix = [[1.0, 0.0], [0.0, 2.0]]"};
        for (const auto& row : matrix) {
            if (row.size() == n) continue;
            return FieldError{"matrix", "matrix must be square: it has " + std::to_string(n) + " rows, but a row of " +
                                            std::to_string(row.size()) + " numbers"};
        }
        if (targets.empty()) return FieldError{"targets", "quadratic needs targets, one row a worker"};
        for (const auto& row : targets) {
            if (row.size() == n) continue;
            return FieldError{"targets", sizeMessage("a row of targets", row.size(), n)};
        }
        if (!start.empty() && start.size() != n) return FieldError{"start", sizeMessage("start", start.size(), n)};
        return std::nullopt;
    }

private:
    static std::string sizeMessage(const std::string& what, std::size_t found, std::size_t wanted) {
        return what + " has " + std::to_string(found) + " numbers; matrix asks for " + std::to_string(wanted);
    }
};

at::Tensor vectorOf(const std::vector<double>& values) { return torch::tensor(values, at::kDouble); }

at::Tensor matrixOf(const Matrix& rows) {
    std::vector<at::Tensor> tensors;
    for (const auto& row : rows) tensors.push_back(vectorOf(row));
    return at::stack(tensors);
}

struct Point final : torch::nn::Module {
    explicit Point(const at::Tensor& start) : w(register_parameter("w", start)) {}
    at::Tensor w;
};

class Quadratic final : public Model, public HasRandomPassState {
public:
    explicit Quadratic(const QuadraticParams& params) : params_(params) {}

    Status build(const BuildContext& context) override {
        if (static_cast<std::int64_t>(params_.targets.size()) < context.workers) {
            return fail("quadratic has " + std::to_string(params_.targets.size()) + " targets for " +
                        std::to_string(context.workers) + " workers; give one row of targets a worker");
        }
        const auto rank = static_cast<std::size_t>(context.rank.value());
        matrix_ = matrixOf(params_.matrix);
        target_ = vectorOf(params_.targets[rank]);
        point_ = std::make_shared<Point>(params_.start.empty() ? at::zeros_like(target_) : vectorOf(params_.start));
        // The seed of the noise is drawn from the default generator, which every rank seeded alike, so it depends on
        // the run's seed.
        const auto runSeed = at::randint(std::int64_t{1} << 40, {1}, at::kLong).item<std::int64_t>();
        const at::Device device = context.random.defined() ? context.random.device() : at::Device(at::kCPU);
        noise_ = makeGenerator(device, static_cast<std::uint64_t>(runSeed) + rank);
        return {};
    }

    torch::nn::Module& module() override {
        DASGD_CHECK(point_ && "build() comes first");
        return *point_;
    }

    at::Tensor loss(const Batch&) override {
        at::Tensor value = bowl();
        if (params_.noise == 0) return value;
        // Adds the noise to the gradient and nothing to the value.
        const at::Tensor tilt = at::randn(point_->w.sizes(), noise_, point_->w.options()).dot(point_->w);
        return value + params_.noise * (tilt - tilt.detach());
    }

    Evaluation evaluate(const Batch&) override {
        const at::NoGradGuard noGrad;
        return {.lossSum = bowl(), .correct = 0, .samples = 1};
    }

    // True with noise: the noise comes from a generator of the model's own, as the data draw from the rank's too.
    [[nodiscard]] bool isStateful() const override { return params_.noise != 0; }
    [[nodiscard]] std::vector<at::Tensor> passState() const override {
        return params_.noise == 0 ? std::vector<at::Tensor>() : std::vector{noise_.get_state()};
    }
    Status setPassState(const std::vector<at::Tensor>& state) override {
        if (params_.noise == 0) return refusePassState(state);
        const at::Tensor own = noise_.get_state();
        if (state.size() != 1 || state[0].scalar_type() != own.scalar_type() || state[0].numel() != own.numel()) {
            return fail("the saved state has no generator of the quadratic's noise");
        }
        noise_.set_state(state[0]);
        return {};
    }

    InputSpec naturalInput() const override { return {}; }

private:
    at::Tensor bowl() {
        if (matrix_.scalar_type() != point_->w.scalar_type() || matrix_.device() != point_->w.device()) {
            matrix_ = matrix_.to(point_->w.options());
            target_ = target_.to(point_->w.options());
        }
        const at::Tensor away = point_->w - target_;
        return 0.5 * away.dot(matrix_.mv(away));
    }

    QuadraticParams params_;
    at::Tensor matrix_, target_;  // no buffers of the module: buffers are averaged over ranks
    std::shared_ptr<Point> point_;
    at::Generator noise_;
};

const ModelRegistry::Add<Quadratic, QuadraticParams> kQuadraticEntry{"quadratic",
                                                                     "A quadratic bowl a worker, for theory"};

}  // namespace
}  // namespace dasgd
