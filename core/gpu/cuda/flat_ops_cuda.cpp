#include "core/gpu/cuda/flat_ops_cuda.h"

#include <ATen/core/Tensor.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <torch/library.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/gpu/flat_kernels.h"
#include "core/gpu/kernel_compiler.h"

namespace dasgd {

namespace {

using OptionalTensor = std::optional<at::Tensor>;

enum class Kernel : std::uint8_t {
    Snapshot,
    SnapshotAt,
    Combine,
    Sum,
    Merge,
    MergeOfParts,
    MergeAt,
    OuterStepToMean,
    OuterStepLate
};
constexpr std::array kKernelNames{"snapshot",     "snapshotAt", "combine",         "sum",          "merge",
                                  "mergeOfParts", "mergeAt",    "outerStepToMean", "outerStepLate"};
constexpr std::size_t kMostTerms = 4;
constexpr long long kThreads = 256;  // threads of a block

// Kernels of one type; each for packs, then for single elements.
using KernelsOfType = std::array<std::array<cudaKernel_t, 2>, kKernelNames.size()>;

template <class T>
T orThrow(Result<T> result) {
    TORCH_CHECK(result, result.error().message);
    return std::move(*result);
}

// Where LibTorch's libraries lie together, the compiler is beside the runtime.
NvrtcApi nvrtc() {
    Result<NvrtcApi> api = loadNvrtc();
    Dl_info runtime{};
    if (api || ::dladdr(reinterpret_cast<const void*>(&cudaLibraryLoadData), &runtime) == 0) return orThrow(api);
    const Result<NvrtcApi> beside = loadNvrtc(std::filesystem::path(runtime.dli_fname).replace_filename(kNvrtc));
    return beside ? *beside : orThrow(api);
}

const char* storedAs(at::ScalarType type) {
    if (type == at::kFloat) return "float";
    if (type == at::kDouble) return "double";
    TORCH_CHECK(type == at::kBFloat16, "flat tensors are of float32, float64 or bfloat16, not of ", type);
    return "unsigned short";
}

KernelsOfType compileFor(at::ScalarType type, int device) {
    const std::string stored = storedAs(type);
    const auto wide = kPackBytes / static_cast<std::int64_t>(c10::elementSize(type));
    std::vector<std::string> names;
    for (const char* kernel : kKernelNames) {
        for (const std::int64_t elements : {wide, std::int64_t{1}}) {
            names.push_back(std::string(kernel) + "<" + stored + ", " + std::to_string(elements) + ">");
        }
    }
    int major = 0, minor = 0;
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    C10_CUDA_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
    const CompiledKernels compiled = orThrow(compileKernels(nvrtc(), flatKernelsSource(), names, major * 10 + minor));
    // Never unloaded: kernels may be under way until the process ends.
    cudaLibrary_t library = nullptr;
    C10_CUDA_CHECK(cudaLibraryLoadData(&library, compiled.image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    KernelsOfType kernels{};
    for (std::size_t i = 0; i < names.size(); ++i) {
        C10_CUDA_CHECK(cudaLibraryGetKernel(&kernels[i / 2][i % 2], library, compiled.names[i].c_str()));
    }
    return kernels;
}

const KernelsOfType& kernelsFor(at::ScalarType type, int device) {
    static std::mutex mutex;
    static std::map<std::pair<at::ScalarType, int>, KernelsOfType> known;
    const std::lock_guard lock(mutex);
    auto found = known.find({type, device});
    if (found == known.end()) found = known.emplace(std::pair(type, device), compileFor(type, device)).first;
    return found->second;
}

// Memory layout of the kernels' Addends, whatever its pointers point to.
struct AnyAddends {
    std::array<void*, kMostAddends> of{};
    long long count = 0;
};

// One call of a kernel over flat tensors, whose arguments are pointers, number of elements, addends, scalars.
class Launch {
public:
    explicit Launch(const at::Tensor& first) : first_(first) {}

    Launch& over(const OptionalTensor& tensor) {
        pointers_[used_++] = tensor ? flat(*tensor) : nullptr;
        return *this;
    }
    // Passes the tensors to add up, at most kMostAddends.
    Launch& adding(at::TensorList tensors) {
        TORCH_CHECK(tensors.size() <= addends_.of.size(), "more tensors to add up than a kernel takes");
        for (const at::Tensor& tensor : tensors) {
            addends_.of[static_cast<std::size_t>(addends_.count++)] = flat(tensor);
        }
        takesAddends_ = true;
        return *this;
    }

    // Passes a tensor whose single elements are read or written, at places within it.
    Launch& within(const at::Tensor& tensor) { return apart(tensor, first_.scalar_type()); }
    // Passes the places, as many as there are elements.
    Launch& at(const at::Tensor& places) {
        TORCH_CHECK(places.numel() == first_.numel(), "places and values differ in number");
        return apart(places, at::kLong);
    }

    template <class... Scalars>
    void run(Kernel kernel, Scalars... scalars) {
        long long elements = first_.numel();
        if (elements == 0) return;
        const c10::cuda::CUDAGuard guard(first_.device());
        const KernelsOfType& kernels = kernelsFor(first_.scalar_type(), first_.get_device());
        const cudaKernel_t chosen = kernels[static_cast<std::size_t>(kernel)][isAligned_ ? 0 : 1];
        const long long wide = isAligned_ ? kPackBytes / static_cast<long long>(first_.element_size()) : 1;
        // At least one block, for tensors smaller than a pack too.
        const long long blocks = std::clamp((elements / wide + kThreads - 1) / kThreads, 1LL, 0x7fffffffLL);
        std::vector<void*> arguments;
        for (std::size_t i = 0; i < used_; ++i) arguments.push_back(&pointers_[i]);
        arguments.push_back(&elements);
        if (takesAddends_) arguments.push_back(&addends_);
        (arguments.push_back(&scalars), ...);
        C10_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(chosen), dim3(static_cast<unsigned>(blocks)),
                                        dim3(static_cast<unsigned>(kThreads)), arguments.data(), 0,
                                        c10::cuda::getCurrentCUDAStream()));
    }

private:
    void* flat(const at::Tensor& tensor) {
        TORCH_CHECK(tensor.device() == first_.device() && tensor.scalar_type() == first_.scalar_type() &&
                        tensor.numel() == first_.numel() && tensor.is_contiguous(),
                    "flat tensors differ in device, type or size, or are not contiguous");
        void* data = tensor.data_ptr();
        isAligned_ = isAligned_ && reinterpret_cast<std::uintptr_t>(data) % kPackBytes == 0;
        return data;
    }
    Launch& apart(const at::Tensor& tensor, at::ScalarType type) {
        TORCH_CHECK(tensor.device() == first_.device() && tensor.scalar_type() == type && tensor.is_contiguous(),
                    "flat tensors and places differ in device, are of another type, or are not contiguous");
        pointers_[used_++] = tensor.data_ptr();
        return *this;
    }

    const at::Tensor& first_;
    std::array<void*, 7> pointers_{};
    std::size_t used_ = 0;
    AnyAddends addends_;
    bool takesAddends_ = false;
    bool isAligned_ = true;
};

void snapshotOnDevice(const at::Tensor& weights, at::Tensor out, OptionalTensor copy, double scale) {
    Launch(weights).over(weights).over(out).over(copy).run(Kernel::Snapshot, scale);
}

void mergeOnDevice(at::Tensor weights, at::Tensor mean, OptionalTensor snapshot, double xi, double c,
                   at::TensorList parts) {
    TORCH_CHECK(c == 0 || snapshot, "a merge with a correction needs the snapshot");
    Launch launch(weights);
    launch.over(weights).over(mean).over(c == 0 ? std::nullopt : snapshot);
    if (parts.empty()) return launch.run(Kernel::Merge, xi, c);
    launch.adding(parts).run(Kernel::MergeOfParts, xi, c);
}

void snapshotAtOnDevice(const at::Tensor& weights, const at::Tensor& places, at::Tensor out, at::Tensor copy,
                        double scale) {
    Launch(out).within(weights).at(places).over(out).over(copy).run(Kernel::SnapshotAt, scale);
}

void mergeAtOnDevice(at::Tensor weights, const at::Tensor& places, at::Tensor mean, const at::Tensor& snapshot) {
    Launch(mean).within(weights).at(places).over(mean).over(snapshot).run(Kernel::MergeAt);
}

void combineOnDevice(at::TensorList x, at::ArrayRef<double> a, at::Tensor out, double scale, OptionalTensor copy,
                     OptionalTensor base, double share) {
    TORCH_CHECK(!x.empty() && x.size() <= kMostTerms && x.size() == a.size(),
                "a combination has one to four terms, and a factor for each");
    TORCH_CHECK(!base || copy, "a combination with a base needs a copy");
    const auto term = [&](std::size_t j) { return j < x.size() ? OptionalTensor(x[j]) : std::nullopt; };
    const auto factor = [&](std::size_t j) { return j < a.size() ? a[j] : 0.0; };
    Launch(out).over(x[0]).over(term(1)).over(term(2)).over(term(3)).over(out).over(copy).over(base).run(
        Kernel::Combine, factor(0), factor(1), factor(2), factor(3), scale, share);
}

void sumOnDevice(at::TensorList x, at::Tensor out, double scale, double divisor, OptionalTensor copy) {
    TORCH_CHECK(!x.empty(), "a sum has at least one term");
    at::Tensor first = x.front();
    at::TensorList more = x.slice(1);
    for (; more.size() > kMostAddends; more = more.slice(kMostAddends)) {
        Launch(out)
            .over(first)
            .over(out)
            .over(std::nullopt)
            .adding(more.slice(0, kMostAddends))
            .run(Kernel::Sum, 1.0, 1.0);
        first = out;
    }
    Launch(out).over(first).over(out).over(copy).adding(more).run(Kernel::Sum, scale, divisor);
}

void outerStepToMeanOnDevice(at::Tensor outer, at::Tensor mean, OptionalTensor velocity, at::Tensor weights,
                             double rate, double momentum, double penalty, double clip, bool nesterov,
                             double localWeight) {
    Launch(outer).over(outer).over(mean).over(velocity).over(weights).run(Kernel::OuterStepToMean, rate, momentum,
                                                                          penalty, clip, nesterov, localWeight);
}

void outerStepLateOnDevice(at::Tensor outer, at::Tensor mean, OptionalTensor velocity, at::Tensor weights, double rate,
                           double momentum, double penalty, double clip, bool nesterov, bool none, bool fromPresent,
                           double share, OptionalTensor own) {
    Launch(outer).over(outer).over(mean).over(velocity).over(weights).over(own).run(
        Kernel::OuterStepLate, rate, momentum, penalty, clip, nesterov, none, fromPresent, share);
}

}  // namespace

TORCH_LIBRARY_IMPL(dasgd, CUDA, library) {
    library.impl("snapshot_", snapshotOnDevice);
    library.impl("merge_", mergeOnDevice);
    library.impl("snapshot_at_", snapshotAtOnDevice);
    library.impl("combine_", combineOnDevice);
    library.impl("sum_", sumOnDevice);
    library.impl("merge_at_", mergeAtOnDevice);
    library.impl("outer_step_to_mean_", outerStepToMeanOnDevice);
    library.impl("outer_step_late_", outerStepLateOnDevice);
}

void compileFlatKernels(at::ScalarType type) { (void)kernelsFor(type, c10::cuda::current_device()); }

}  // namespace dasgd
