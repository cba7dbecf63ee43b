// A network given only by the sizes of its layers, for time-only runs: the amounts to compute
// and to send follow from them. Convolutions come first, then fully connected layers, as in AlexNet, VGG and OverFeat;
// biases, pooling and activations are left out.
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <cmath>
#include <optional>

#include "core/base/check.h"
#include "core/models/model.h"

namespace dasgd {
namespace {

using Rows = std::vector<std::vector<double>>;

constexpr std::size_t kConvColumns = 5;
constexpr std::size_t kDenseColumns = 2;

struct LayerTableParams {
    Rows conv;
    Rows dense;

    void visit(auto&& f) {
        f(conv, "conv",
          {.min = 1,
           .max = 1e6,
           .help = "Convolutions from the input on, a row each: [input maps, output maps, kernel, output width, output "
                   "height]"});
        f(dense, "dense",
          {.min = 1, .max = 1e9, .help = "Fully connected layers after them, a row each: [inputs, outputs]"});
    }

    std::optional<FieldError> check() const {
        if (conv.empty() && dense.empty()) {
            return FieldError{"dense", "layer_table needs layers, as dense = [[784, 100], [100, 10]]"};
        }
        if (auto broken = checkRows("conv", conv, kConvColumns)) return broken;
        return checkRows("dense", dense, kDenseColumns);
    }

private:
    static std::optional<FieldError> checkRows(const std::string& name, const Rows& rows, std::size_t columns) {
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const std::string row = "row " + std::to_string(i + 1) + " of " + name;
            if (rows[i].size() != columns) {
                return FieldError{name, row + " has " + std::to_string(rows[i].size()) + " numbers; a row has " +
                                            std::to_string(columns)};
            }
            for (const double number : rows[i]) {
                if (number != std::floor(number)) return FieldError{name, row + " has a number that is not whole"};
            }
        }
        return std::nullopt;
    }
};

// Makes a tensor on the meta device, which has a shape and no values.
at::Tensor shape(std::vector<std::int64_t> sizes) { return at::empty(sizes, at::TensorOptions(at::kMeta)); }

class Table final : public torch::nn::Module {
public:
    explicit Table(const LayerTableParams& params) {
        for (const auto& row : params.conv) {
            const auto in = whole(row[0]), out = whole(row[1]), kernel = whole(row[2]);
            add(shape({out, in, kernel, kernel}), whole(row[3]) * whole(row[4]));
        }
        for (const auto& row : params.dense) add(shape({whole(row[1]), whole(row[0])}), 1);
    }

    // Computes every layer once, on an input of its own. The meta device has no convolutions, so they are expressed as
    // matrix products, one for each pixel.
    at::Tensor computeOnce() {
        at::Tensor last;
        for (std::size_t i = 0; i < weights_.size(); ++i) last = at::linear(inputs_[i], weights_[i].flatten(1));
        return last.sum();
    }

private:
    static std::int64_t whole(double number) { return static_cast<std::int64_t>(number); }

    void add(at::Tensor weight, std::int64_t pixels) {
        const std::int64_t perPixel = weight.numel() / weight.size(0);
        // The gradient of the first layer's input is never computed.
        inputs_.push_back(shape({pixels, perPixel}).requires_grad_(!inputs_.empty()));
        weights_.push_back(register_parameter("layer" + std::to_string(weights_.size() + 1), std::move(weight)));
    }

    std::vector<at::Tensor> weights_;
    std::vector<at::Tensor> inputs_;
};

class LayerTable final : public Model {
public:
    explicit LayerTable(const LayerTableParams& params) : params_(params) {}

    Status build(const BuildContext& context) override {
        if (!context.timeOnly) {
            return fail(
                "layer_table has sizes and no mathematics, so that only time can be simulated: set backend = "
                "\"virtual\" in [cluster] and mode = \"time-only\" in [compute]");
        }
        table_ = std::make_shared<Table>(params_);
        return {};
    }
    torch::nn::Module& module() override {
        DASGD_CHECK(table_ && "build() comes first");
        return *table_;
    }
    at::Tensor loss(const Batch&) override { return table_->computeOnce(); }
    Evaluation evaluate(const Batch&) override {
        DASGD_CHECK(false && "nobody evaluates where only time is simulated");
        return {};
    }
    [[nodiscard]] InputSpec naturalInput() const override { return {}; }

private:
    LayerTableParams params_;
    std::shared_ptr<Table> table_;
};

const ModelRegistry::Add<LayerTable, LayerTableParams> kLayerTableEntry{
    "layer_table", "Nothing but the sizes of a network's layers: for virtual runs after time alone"};

}  // namespace
}  // namespace dasgd
