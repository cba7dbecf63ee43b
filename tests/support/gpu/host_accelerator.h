// A stand-in for an accelerator: a device of LibTorch ("xpu:0", for which a build for the processor has nothing of its
// own) whose memory is the host's and whose operators are the processor's. It is no GPU: it computes at once, in order,
// and shows nothing of speed. What it does show, to the last bit: that whatever trains on a device computes what it
// computes on the processor, that no operator mixes the two, which operators make the host wait, and what autograd's
// own thread for a device does.
//
// One program either has it from its start or never: LibTorch asks for devices once. Included by tests of their own
// programs.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/XPUHooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/FakeGuardImpl.h>
#include <torch/library.h>
#include <torch/types.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/gpu/recorded_operators.h"

namespace dasgd::test {

inline const at::Device kAccelerator{at::kXPU, 0};

// Operators that made the host wait, in order; from any thread.
class HostWaits {
public:
    static void add(const std::string& what) {
        const std::lock_guard lock(mutex_);
        if (!ignored_) all_.push_back(what);
    }
    [[nodiscard]] static std::vector<std::string> take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(all_, {});
    }
    // Leaves out the waits of the calling thread while it lives: the stand-in's own copies.
    struct Ignored {
        Ignored() { ignored_ = true; }
        ~Ignored() { ignored_ = false; }
    };

private:
    inline static std::mutex mutex_;
    inline static std::vector<std::string> all_;
    inline static thread_local bool ignored_ = false;
};

class AcceleratorMemory final : public c10::Allocator {
public:
    static AcceleratorMemory& instance() {
        static AcceleratorMemory memory;
        return memory;
    }
    std::atomic<std::size_t> limit{~std::size_t{0}};  // bytes at once
    [[nodiscard]] std::size_t used() const { return used_; }

    c10::DataPtr allocate(std::size_t bytes) override {
        TORCH_CHECK_WITH(OutOfMemoryError, used_ + bytes <= limit, "Stand-in out of memory. Tried to allocate ", bytes,
                         " bytes. More is not there.");
        if (bytes == 0) return {nullptr, kAccelerator};
        used_ += bytes;
        auto* block =
            new Block{std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment), bytes};
        std::memset(block->data, kUnwritten, bytes);
        return {block->data, block, &release, kAccelerator};
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

private:
    static constexpr std::size_t kAlignment = 256;
    static constexpr int kUnwritten = 0xFF;  // NaN in floating point: marks memory that was never written

    struct Block {
        void* data;
        std::size_t bytes;
    };
    static void release(void* context) {
        auto* block = static_cast<Block*>(context);
        instance().used_ -= block->bytes;
        std::free(block->data);  // NOLINT: from aligned_alloc
        delete block;
    }
    std::atomic<std::size_t> used_{0};
};

// Pinned memory of the host: copies from and to it need not be waited for.
class PinnedMemory final : public c10::Allocator {
public:
    static PinnedMemory& instance() {
        static PinnedMemory memory;
        return memory;
    }
    [[nodiscard]] bool holds(const void* data) {
        const std::lock_guard lock(mutex_);
        const auto behind = blocks_.upper_bound(static_cast<const char*>(data));
        if (behind == blocks_.begin()) return false;
        const auto& [begin, bytes] = *std::prev(behind);
        return static_cast<const char*>(data) < begin + bytes;
    }

    c10::DataPtr allocate(std::size_t bytes) override {
        if (bytes == 0) return {nullptr, at::kCPU};
        auto* data = static_cast<char*>(std::malloc(bytes));  // NOLINT: memory is what it is asked for
        const std::lock_guard lock(mutex_);
        blocks_[data] = bytes;
        return {data, data, &release, at::kCPU};
    }
    void copy_data(void* to, const void* from, std::size_t bytes) const override { std::memcpy(to, from, bytes); }

private:
    static void release(void* data) {
        const std::lock_guard lock(instance().mutex_);
        instance().blocks_.erase(static_cast<const char*>(data));
        std::free(data);  // NOLINT: from malloc
    }
    std::mutex mutex_;
    std::map<const char*, std::size_t> blocks_;
};

// The same memory as a tensor of the processor.
inline at::Tensor asHost(const at::Tensor& tensor) {
    if (!tensor.defined() || tensor.is_cpu()) return tensor;
    const auto options = at::TensorOptions(tensor.scalar_type()).device(at::kCPU);
    if (tensor.numel() == 0) return at::empty(tensor.sizes(), options);
    return at::from_blob(
        tensor.data_ptr(), tensor.sizes(), tensor.strides(), [tensor](void*) {}, options);
}

inline at::Tensor asDevice(const at::Tensor& host) {
    if (!host.defined()) return host;
    const at::Tensor there = at::empty_strided(host.sizes(), host.strides(), host.options().device(kAccelerator));
    asHost(there).copy_(host);
    return there;
}

// Runs an operator for which the device has no kernel of its own with the processor's.
class OnHost {
public:
    OnHost(const c10::OperatorHandle& op, torch::jit::Stack& stack)
        : op_(op), stack_(stack), arguments_(torch::jit::last(stack, op.schema().arguments().size()).vec()) {}

    void run() {
        std::vector<c10::IValue> own;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            own.push_back(onHost(arguments_[i]));
            // A kernel may resize a tensor that it writes into: such a one gets a copy of its own.
            if (isOutput(i) && own[i].isTensor()) own[i] = own[i].toTensor().clone();
        }
        TORCH_CHECK(!(hasDevice_ && hasHost_), op_.schema().name(), " mixes tensors of the host and of the device");
        noteWaits();
        RecordedOperators* recording = RecordedOperators::ofThisThread();
        if (recording) recording->touches(arguments_);
        torch::jit::drop(stack_, arguments_.size());
        for (const c10::IValue& argument : own) stack_.push_back(argument);
        op_.callBoxed(&stack_);
        giveBack(own);
        const std::size_t count = op_.schema().returns().size();
        std::vector<c10::IValue> results = torch::jit::pop(stack_, count);
        for (std::size_t i = 0; i < count; ++i) results[i] = result(i, results[i]);
        if (recording) recording->add(op_, arguments_, results);
        stack_.insert(stack_.end(), results.begin(), results.end());
    }

private:
    c10::IValue onHost(const c10::IValue& value) {
        if (value.isTensor()) return c10::IValue(hostOf(value.toTensor()));
        if (value.isDevice()) return c10::IValue(at::Device(at::kCPU));
        if (value.isTensorList()) {
            c10::List<at::Tensor> list;
            for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(hostOf(tensor));
            return c10::IValue(list);
        }
        if (value.isOptionalTensorList()) {
            c10::List<std::optional<at::Tensor>> list;
            for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
                list.push_back(tensor ? std::optional(hostOf(*tensor)) : std::nullopt);
            }
            return c10::IValue(list);
        }
        return value;
    }
    at::Tensor hostOf(const at::Tensor& tensor) {
        if (!tensor.defined()) return tensor;
        hasDevice_ = hasDevice_ || !tensor.is_cpu();
        // A number may come from the host.
        hasHost_ = hasHost_ || (tensor.is_cpu() && tensor.dim() > 0);
        hasMask_ = hasMask_ || tensor.scalar_type() == at::kBool;
        return asHost(tensor);
    }
    void noteWaits() const {
        const std::string& name = op_.schema().name();
        for (const char* waits : {"aten::equal", "aten::nonzero", "aten::masked_select", "aten::_unique2"}) {
            if (name == waits) HostWaits::add(name);
        }
        const bool indexes = name == "aten::index" || name == "aten::index_put_" || name == "aten::_index_put_impl_";
        if (indexes && hasMask_) HostWaits::add(name);
    }
    [[nodiscard]] bool isOutput(std::size_t argument) const {
        const auto& schema = op_.schema().arguments()[argument];
        return schema.kwarg_only() && schema.alias_info() && schema.alias_info()->isWrite();
    }
    void giveBack(const std::vector<c10::IValue>& own) const {
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!own[i].isTensor() || !isOutput(i)) continue;
            const at::Tensor &host = own[i].toTensor(), &there = arguments_[i].toTensor();
            if (!host.defined() || there.is_cpu()) continue;
            if (host.sizes() == there.sizes()) {
                asHost(there).copy_(host);
                continue;
            }
            const at::Tensor fresh = asDevice(host);
            there.unsafeGetTensorImpl()->set_storage_keep_dtype(fresh.storage());
            there.unsafeGetTensorImpl()->set_sizes_and_strides(fresh.sizes(), fresh.strides());
        }
    }
    c10::IValue result(std::size_t index, const c10::IValue& value) const {
        const auto* alias = op_.schema().returns()[index].alias_info();
        if (alias) {
            const auto& schema = op_.schema().arguments();
            for (std::size_t i = 0; i < schema.size(); ++i) {
                if (schema[i].alias_info() && *schema[i].alias_info() == *alias) return arguments_[i];
            }
            TORCH_CHECK(false, op_.schema().name(), " answers a view, which the stand-in does not know");
        }
        if (value.isTensor()) return c10::IValue(asDevice(value.toTensor()));
        if (!value.isTensorList()) return value;
        c10::List<at::Tensor> list;
        for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(asDevice(tensor));
        return c10::IValue(list);
    }

    const c10::OperatorHandle& op_;
    torch::jit::Stack& stack_;
    const std::vector<c10::IValue> arguments_;
    bool hasDevice_ = false, hasHost_ = false, hasMask_ = false;
};

inline void runOnHost(const c10::OperatorHandle& op, torch::jit::Stack* stack) { OnHost(op, *stack).run(); }

// The operators that a backend has to have itself.
namespace accelerator {

inline at::Tensor empty(c10::SymIntArrayRef size, std::optional<at::ScalarType> type, std::optional<at::Layout>,
                        std::optional<at::Device>, std::optional<bool>, std::optional<at::MemoryFormat> format) {
    return at::detail::empty_generic_symint(size, &AcceleratorMemory::instance(),
                                            c10::DispatchKeySet(c10::DispatchKey::XPU),
                                            type.value_or(at::get_default_dtype_as_scalartype()), format);
}
inline at::Tensor emptyStrided(c10::SymIntArrayRef size, c10::SymIntArrayRef stride, std::optional<at::ScalarType> type,
                               std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>) {
    return at::detail::empty_strided_symint_generic(size, stride, &AcceleratorMemory::instance(),
                                                    c10::DispatchKeySet(c10::DispatchKey::XPU),
                                                    type.value_or(at::get_default_dtype_as_scalartype()));
}
// A copy between host and device waits, as CUDA's does, unless it is told not to and the host's memory is pinned.
inline at::Tensor& copy(at::Tensor& self, const at::Tensor& source, bool nonBlocking) {
    const bool crosses = self.device() != source.device();
    const at::Tensor& host = self.is_cpu() ? self : source;
    const bool waits =
        crosses && host.numel() > 0 && !(nonBlocking && PinnedMemory::instance().holds(host.storage().data()));
    if (RecordedOperators* recording = RecordedOperators::ofThisThread()) {
        if (crosses) RecordedOperators::refuseToWait();
        recording->touches(self);
        recording->add([self, source]() { asHost(self).copy_(asHost(source)); });
    }
    if (waits) {
        std::string what = self.is_cpu() ? "copy to the host" : "copy from the host";
        HostWaits::add(nonBlocking ? what.append(", whose memory is not pinned") : what);
    }
    asHost(self).copy_(asHost(source));
    return self;
}
inline at::Scalar localScalar(const at::Tensor& self) {
    RecordedOperators::refuseToWait();
    HostWaits::add("aten::_local_scalar_dense");
    return asHost(self).item();
}
inline at::Tensor convolve(const at::Tensor& input, const at::Tensor& weight, const std::optional<at::Tensor>& bias,
                           at::IntArrayRef stride, at::IntArrayRef padding, at::IntArrayRef dilation, bool transposed,
                           at::IntArrayRef outputPadding, std::int64_t groups) {
    const auto host = bias ? std::optional(asHost(*bias)) : std::nullopt;
    return asDevice(at::convolution(asHost(input), asHost(weight), host, stride, padding, dilation, transposed,
                                    outputPadding, groups));
}
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> convolveBack(const at::Tensor& gradient, const at::Tensor& input,
                                                                   const at::Tensor& weight, at::IntArrayRef stride,
                                                                   at::IntArrayRef padding, at::IntArrayRef dilation,
                                                                   bool transposed, at::IntArrayRef outputPadding,
                                                                   std::int64_t groups, std::array<bool, 3> wanted) {
    const auto [ofInput, ofWeight, ofBias] =
        at::convolution_backward(asHost(gradient), asHost(input), asHost(weight), at::IntArrayRef{weight.size(0)},
                                 stride, padding, dilation, transposed, outputPadding, groups, wanted);
    return {asDevice(ofInput), asDevice(ofWeight), asDevice(ofBias)};
}

// Devices have this in one kernel, the processor in several.
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> lstmCell(const at::Tensor& ofInput, const at::Tensor& ofHidden,
                                                               const at::Tensor& cell,
                                                               const std::optional<at::Tensor>& inputBias,
                                                               const std::optional<at::Tensor>& hiddenBias) {
    at::Tensor all = asHost(ofInput) + asHost(ofHidden);
    for (const auto& bias : {inputBias, hiddenBias}) {
        if (bias && bias->defined()) all = all + asHost(*bias);
    }
    auto gates = all.chunk(4, 1);
    for (const std::size_t sigmoid : {0, 1, 3}) gates[sigmoid] = gates[sigmoid].sigmoid();
    gates[2] = gates[2].tanh();
    const at::Tensor next = gates[1] * asHost(cell) + gates[0] * gates[2];
    return {asDevice(gates[3] * next.tanh()), asDevice(next), asDevice(at::cat(gates, 1))};
}
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> lstmCellBack(const std::optional<at::Tensor>& ofHidden,
                                                                   const std::optional<at::Tensor>& ofCell,
                                                                   const at::Tensor& cell, const at::Tensor& next,
                                                                   const at::Tensor& workspace, bool hasBias) {
    const auto orZero = [&](const std::optional<at::Tensor>& gradient) {
        return gradient && gradient->defined() ? asHost(*gradient) : at::zeros_like(asHost(next));
    };
    const auto gates = asHost(workspace).chunk(4, 1);
    const at::Tensor &i = gates[0], &f = gates[1], &g = gates[2], &o = gates[3];
    const at::Tensor out = asHost(next).tanh(), hidden = orZero(ofHidden);
    const at::Tensor inner = hidden * o * (1 - out * out) + orZero(ofCell);
    const at::Tensor gradient = at::cat({inner * g * i * (1 - i), inner * asHost(cell) * f * (1 - f),
                                         inner * i * (1 - g * g), hidden * out * o * (1 - o)},
                                        1);
    return {asDevice(gradient), asDevice(inner * f), hasBias ? asDevice(gradient.sum(0)) : at::Tensor()};
}
inline at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                         const std::optional<at::Tensor>& mask, double dropout, bool causal,
                         std::optional<double> scale, bool grouped) {
    return std::get<0>(
        at::_scaled_dot_product_attention_math(query, key, value, mask, dropout, causal, {}, scale, grouped));
}

struct Hooks final : at::XPUHooksInterface {
    explicit Hooks(at::XPUHooksArgs = {}) {}
    void init() const override {}
    bool isBuilt() const override { return true; }
    bool isAvailable() const override { return true; }
    bool hasXPU() const override { return true; }
    bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
    at::DeviceIndex deviceCount() const override { return 1; }
    at::DeviceIndex getNumGPUs() const override { return 1; }
    at::DeviceIndex current_device() const override { return 0; }
    at::DeviceIndex getCurrentDevice() const override { return 0; }
    at::Allocator* getPinnedMemoryAllocator() const override { return &PinnedMemory::instance(); }
    bool isPinnedPtr(const void* data) const override { return PinnedMemory::instance().holds(data); }
    const at::Generator& getDefaultGenerator(at::DeviceIndex) const override {
        return at::detail::getDefaultCPUGenerator();
    }
    at::Generator getNewGenerator(at::DeviceIndex) const override { return at::detail::createCPUGenerator(); }
};

inline bool install() {
    at::XPUHooksRegistry()->Register("XPUHooks", [](const at::XPUHooksArgs&) { return std::make_unique<Hooks>(); });
    c10::SetAllocator(at::kXPU, &AcceleratorMemory::instance());
    static c10::impl::FakeGuardImpl<at::kXPU> guard;
    static const c10::impl::DeviceGuardImplRegistrar kGuard(at::kXPU, &guard);
    static torch::Library rest(torch::Library::IMPL, "_", c10::DispatchKey::XPU, __FILE__, __LINE__);
    rest.fallback(torch::CppFunction::makeFromBoxedFunction<&runOnHost>());
    static torch::Library own(torch::Library::IMPL, "aten", c10::DispatchKey::XPU, __FILE__, __LINE__);
    own.impl("empty.memory_format", &empty);
    own.impl("empty_strided", &emptyStrided);
    own.impl("as_strided", &at::native::as_strided_tensorimpl);
    own.impl("view", &at::native::view);
    own.impl("_reshape_alias", &at::native::_reshape_alias);
    own.impl("copy_", &copy);
    own.impl("_local_scalar_dense", &localScalar);
    own.impl("convolution_overrideable", &convolve);
    own.impl("convolution_backward_overrideable", &convolveBack);
    own.impl("_thnn_fused_lstm_cell", &lstmCell);
    own.impl("_thnn_fused_lstm_cell_backward_impl", &lstmCellBack);
    static torch::Library composed(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradXPU, __FILE__, __LINE__);
    composed.impl("scaled_dot_product_attention", &attend);
    return true;
}
inline const bool kInstalled = install();

}  // namespace accelerator
}  // namespace dasgd::test
