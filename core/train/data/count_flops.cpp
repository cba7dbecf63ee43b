#include "core/train/data/count_flops.h"

#include <ATen/record_function.h>
#include <torch/nn/module.h>
#include <torch/types.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>

#include "core/step/flat_params.h"

namespace dasgd {

namespace {

// With one sample, BatchNorm over 1x1 pixels would have nothing to normalise.
constexpr std::int64_t kSamples = 2;

constexpr std::string_view kConvolution = "aten::convolution";
constexpr std::string_view kLinear = "aten::linear";
constexpr std::array<std::string_view, 4> kProducts{"aten::matmul", "aten::mm", "aten::bmm", "aten::mv"};
constexpr std::array<std::string_view, 2> kAddedProducts{"aten::addmm", "aten::baddbmm"};  // added, left, right
constexpr std::string_view kAttention = "aten::scaled_dot_product_attention";
constexpr std::string_view kLstm = "aten::lstm";

// A multiplying operation under way.
struct Product final : at::ObserverContext {
    std::size_t slot = 0;
    int gradients = 0;          // number of its two factors that need a gradient
    double perOutput = 0;       // multiply-adds that go into one element of the output
    std::optional<double> all;  // or multiply-adds of the whole operation
};

class FlopCounter {
public:
    FlopCounter(torch::nn::Module& module, std::int64_t samples) : samples_(static_cast<double>(samples)) {
        for (const at::Tensor& parameter : trainableParameters(module)) {
            slots_.emplace(storageOf(parameter), slots_.size());
        }
        work_.forward.assign(slots_.size(), 0);
        work_.backward.assign(slots_.size(), 0);
    }

    // Null for operations that do not multiply, and for parts of one that has been seen already.
    std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
        const std::string_view name = function.name();
        const auto inputs = function.inputs();
        const bool transposed = name == kConvolution && inputs.size() > 6 && inputs[6].toBool();
        if (name == kConvolution || name == kLinear) return beginLayer(inputs[0], inputs[1], transposed);
        if (name == kAttention) return beginAttention(inputs[0], inputs[1], inputs[2]);
        if (name == kLstm) return beginLstm(inputs);
        if (isAmong(kAddedProducts, name)) return beginProduct(inputs[1], inputs[2]);
        if (isAmong(kProducts, name)) return beginProduct(inputs[0], inputs[1]);
        return nullptr;
    }

    void end(const at::RecordFunction& function, const at::ObserverContext& context) {
        inside_ = false;
        if (function.outputs().empty()) return;  // it threw
        const auto& product = static_cast<const Product&>(context);
        const auto outputs = static_cast<double>(function.outputs()[0].toTensor().numel());
        add(product.slot, product.all.value_or(product.perOutput * outputs), product.gradients);
    }

    [[nodiscard]] const LayerWork& work() const { return work_; }

private:
    static bool isAmong(const auto& names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    }

    void add(std::size_t slot, double multiplyAdds, int gradients) {
        const double flops = 2 * multiplyAdds / samples_;
        work_.forward[slot] += flops;
        work_.backward[slot] += flops * gradients;
    }

    // A view of a parameter has its storage.
    static const void* storageOf(const at::Tensor& tensor) { return tensor.storage().unsafeGetStorageImpl(); }

    std::optional<std::size_t> slotOf(const at::Tensor& tensor) const {
        const auto found = slots_.find(storageOf(tensor));
        return found == slots_.end() ? std::nullopt : std::optional(found->second);
    }

    std::unique_ptr<Product> make(const at::Tensor& left, const at::Tensor& right) {
        if (std::exchange(inside_, true)) return nullptr;
        auto product = std::make_unique<Product>();
        const auto slot = slotOf(right);
        last_ = slot ? *slot : slotOf(left).value_or(last_);
        product->slot = last_;
        product->gradients = static_cast<int>(left.requires_grad()) + static_cast<int>(right.requires_grad());
        return product;
    }

    // Weight [out, in / groups, …kernel]; for a transposed convolution [in, out / groups, …kernel].
    std::unique_ptr<at::ObserverContext> beginLayer(const c10::IValue& in, const c10::IValue& by, bool transposed) {
        const at::Tensor& input = in.toTensor();
        const at::Tensor& weight = by.toTensor();
        auto product = make(input, weight);
        if (!product) return nullptr;
        product->perOutput = static_cast<double>(weight.numel()) / static_cast<double>(weight.size(0));
        if (transposed) product->all = product->perOutput * static_cast<double>(input.numel());
        return product;
    }

    std::unique_ptr<at::ObserverContext> beginProduct(const c10::IValue& left, const c10::IValue& right) {
        auto product = make(left.toTensor(), right.toTensor());
        if (product) product->perOutput = static_cast<double>(left.toTensor().size(-1));
        return product;
    }

    // Two products: queries [..., T, d], keys [..., S, d] and values [..., S, e]. Pairs that a mask leaves out count,
    // as in published figures of transformers.
    std::unique_ptr<at::ObserverContext> beginAttention(const c10::IValue& queries, const c10::IValue& keys,
                                                        const c10::IValue& values) {
        auto product = make(queries.toTensor(), keys.toTensor());
        if (!product) return nullptr;
        const auto queried = static_cast<double>(queries.toTensor().numel());
        const auto perQuery = static_cast<double>(keys.toTensor().size(-2));
        const auto width = static_cast<double>(keys.toTensor().size(-1));
        product->all = queried * perQuery * (1 + static_cast<double>(values.toTensor().size(-1)) / width);
        return product;
    }

    // Input [B, T, features] in either order; the weights of a layer, [4·hidden, features] and [4·hidden, hidden],
    // multiply every token. The kernel makes all products at once, so they are counted here.
    std::unique_ptr<at::ObserverContext> beginLstm(c10::ArrayRef<const c10::IValue> inputs) {
        const at::Tensor& input = inputs[0].toTensor();
        const auto parameters = inputs[2].toTensorVector();
        auto product = make(input, parameters[0]);
        if (!product) return nullptr;
        const double tokens = static_cast<double>(input.numel()) / static_cast<double>(input.size(-1));
        bool first = true;
        for (const at::Tensor& weight : parameters) {
            if (weight.dim() != 2) continue;  // a bias
            const bool needsInput = !std::exchange(first, false) || input.requires_grad();
            last_ = slotOf(weight).value_or(last_);
            add(last_, tokens * static_cast<double>(weight.numel()),
                static_cast<int>(weight.requires_grad()) + static_cast<int>(needsInput));
        }
        product->all = 0;
        return product;
    }

    double samples_;
    std::map<const void*, std::size_t> slots_;
    LayerWork work_;
    std::size_t last_ = 0;
    bool inside_ = false;
};

// Counter in use. LibTorch calls plain functions, and only on the thread that asked for it.
thread_local FlopCounter* counting = nullptr;

class Watch {
public:
    explicit Watch(FlopCounter& counter) {
        counting = &counter;
        handle_ = at::addThreadLocalCallback(
            at::RecordFunctionCallback([](const at::RecordFunction& function) { return counting->begin(function); },
                                       [](const at::RecordFunction& function, at::ObserverContext* context) {
                                           if (context) counting->end(function, *context);
                                       })
                .needsInputs(true)
                .needsOutputs(true)
                .scopes({at::RecordScope::FUNCTION}));
    }
    ~Watch() {
        at::removeCallback(handle_);
        counting = nullptr;
    }
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

private:
    at::CallbackHandle handle_{};
};

}  // namespace

LayerWork countFlops(Model& model, const Batch& batch, std::int64_t samples) {
    FlopCounter counter(model.module(), samples);
    const Watch watch(counter);
    static_cast<void>(model.loss(batch));
    return counter.work();
}

Result<LayerWork> layerWorkOf(const Experiment& experiment, const TrainingData& data) {
    DASGD_ASSIGN(const auto model, buildModel(experiment, data, Rank{0}));
    const Samples& train = data.splits.train;
    if (train.count() == 0) return countFlops(*model, {}, 1);
    const std::int64_t samples = std::min(kSamples, train.count());
    // The type in which parameters were built: nothing has converted them to the run's type.
    const at::ScalarType type = trainableParameters(model->module()).front().scalar_type();
    return countFlops(*model, makeBatch(train, torch::arange(samples, torch::kInt64), type), samples);
}

}  // namespace dasgd
