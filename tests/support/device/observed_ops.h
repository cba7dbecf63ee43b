// LibTorch's operators as work of a modelled device: code that computes with tensors of the processor is checked as if
// it gave them to a stream. Each operator of this thread becomes a kernel on the compute stream that reads its
// arguments and writes its results; one that hands a value to the host makes the host wait.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/device/model_device.h"

namespace dasgd::test {

// Access to the memory from the first to the last of the tensor's elements.
inline Access accessOf(const at::Tensor& tensor, bool writes, std::string by) {
    Access access{.writes = writes, .by = std::move(by)};
    if (!tensor.defined() || !tensor.has_storage() || tensor.numel() == 0) return access;
    std::int64_t last = 0;
    for (std::int64_t i = 0; i < tensor.dim(); ++i) last += (tensor.size(i) - 1) * tensor.stride(i);
    access.begin = tensor.const_data_ptr();
    access.bytes = (last + 1) * static_cast<std::int64_t>(tensor.element_size());
    return access;
}

// Observes the operators of its thread while it lives.
class ObservedOps {
public:
    // Each operator takes the device `duration`. `model` outlives this.
    ObservedOps(ModelDevice& model, Ns duration) : model_(model), duration_(duration) {
        current_ = this;
        handle_ = at::addThreadLocalCallback(at::RecordFunctionCallback(&begin, &end)
                                                 .needsInputs(true)
                                                 .needsOutputs(true)
                                                 .scopes({at::RecordScope::FUNCTION}));
    }
    ~ObservedOps() {
        at::removeCallback(handle_);
        current_ = nullptr;
    }
    ObservedOps(const ObservedOps&) = delete;
    ObservedOps& operator=(const ObservedOps&) = delete;

    // Operators that some test expects to be seen.
    [[nodiscard]] int seen() const { return seen_; }

private:
    // An operator under way.
    struct Call final : at::ObserverContext {
        std::vector<Access> accesses;
    };

    static void add(const c10::IValue& value, bool writes, const std::string& by, std::vector<Access>& accesses) {
        if (value.isTensor()) {
            accesses.push_back(accessOf(value.toTensor(), writes, by));
        } else if (value.isTensorList()) {
            for (const at::Tensor& tensor : value.toTensorVector()) {
                accesses.push_back(accessOf(tensor, writes, by));
            }
        }
    }
    static bool isView(const c10::Argument& result) { return result.alias_info() && !result.alias_info()->isWrite(); }

    static std::unique_ptr<at::ObserverContext> begin(const at::RecordFunction& function) {
        const auto schema = function.operator_schema();
        if (!schema) return nullptr;
        // A view of a tensor touches no memory.
        const auto& results = schema->returns();
        if (!results.empty() && std::all_of(results.begin(), results.end(), isView)) return nullptr;
        auto call = std::make_unique<Call>();
        const auto& arguments = schema->arguments();
        const auto inputs = function.inputs();
        for (std::size_t i = 0; i < std::min(arguments.size(), inputs.size()); ++i) {
            const auto* alias = arguments[i].alias_info();
            add(inputs[i], alias && alias->isWrite(), function.name(), call->accesses);
        }
        return call;
    }

    static void end(const at::RecordFunction& function, at::ObserverContext* context) {
        auto* call = static_cast<Call*>(context);
        if (!call || !current_) return;
        for (const c10::IValue& output : function.outputs()) add(output, true, function.name(), call->accesses);
        ++current_->seen_;
        current_->model_.launch(nullptr, current_->duration_, call->accesses);
        static constexpr std::array<std::string_view, 4> kToHost{"aten::_local_scalar_dense", "aten::equal",
                                                                 "aten::nonzero", "aten::masked_select"};
        if (std::ranges::count(kToHost, std::string_view(function.name())) > 0) {
            current_->model_.synchronize(nullptr, function.name());
        }
    }

    inline static thread_local ObservedOps* current_ = nullptr;
    ModelDevice& model_;
    Ns duration_;
    int seen_ = 0;
    at::CallbackHandle handle_ = 0;
};

}  // namespace dasgd::test
