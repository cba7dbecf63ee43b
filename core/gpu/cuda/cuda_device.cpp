// A GPU as LibTorch's CUDA side has it: its caching allocator, its streams and its graphs.
#include <ATen/Functions.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/cuda/CUDAEvent.h>
#include <ATen/cuda/CUDAGeneratorImpl.h>
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/gpu/cuda/flat_ops_cuda.h"
#include "core/gpu/module_entry.h"

namespace dasgd {

namespace {

using c10::cuda::CUDAStream;
using c10::cuda::CUDAStreamGuard;

// Removes the advice for developers of LibTorch that follows the first line of CUDA's errors.
std::string withoutAdvice(std::string text) {
    const std::size_t advice = text.starts_with("CUDA error") ? text.find('\n') : std::string::npos;
    return advice == std::string::npos ? text : text.substr(0, advice);
}

// Runs `work`; returns the message of what it throws, nullopt where it throws nothing.
template <class F>
std::optional<std::string> failureOf(F&& work) {
    try {
        work();
        return std::nullopt;
    } catch (const c10::Error& error) {
        return withoutAdvice(error.what_without_backtrace());
    } catch (const std::exception& error) {
        return error.what();
    }
}

class CudaArrival final : public Arrival {
public:
    CudaArrival(std::vector<at::Tensor> tensors, CUDAStream copies, CUDAStream compute)
        : tensors_(std::move(tensors)), compute_(compute) {
        arrived_.record(copies);
    }
    std::vector<at::Tensor> take() override {
        arrived_.block(compute_);
        // The copy stream owns this memory and must not get it back before the compute stream is done with it.
        for (const at::Tensor& tensor : tensors_) tensor.record_stream(compute_);
        return std::move(tensors_);
    }

private:
    std::vector<at::Tensor> tensors_;
    CUDAStream compute_;
    at::cuda::CUDAEvent arrived_;
};

// Pinned numbers that are taken and put back one by one: memory that is pinned while streams work makes them wait for
// each other. For one thread.
class PinnedNumbers {
public:
    // Allocates the numbers, at the first call only.
    void prepare(at::ScalarType type) {
        if (numbers_.defined()) return;
        numbers_ = at::empty({kNumbers}, at::TensorOptions(type).pinned_memory(true));
        for (std::int64_t i = kNumbers; i > 0; --i) free_.push_back(i - 1);
    }
    // nullopt where all are taken.
    std::optional<std::int64_t> take(at::ScalarType type) {
        prepare(type);
        if (free_.empty() || numbers_.scalar_type() != type) return std::nullopt;
        const std::int64_t number = free_.back();
        free_.pop_back();
        return number;
    }
    void putBack(std::int64_t number) { free_.push_back(number); }
    at::Tensor at(std::int64_t number) const { return numbers_.select(0, number); }

private:
    static constexpr std::int64_t kNumbers = 8192;  // losses on their way, more than any run has
    at::Tensor numbers_;
    std::vector<std::int64_t> free_;
};

class CudaDeparture final : public Departure {
public:
    // `number`: index within `numbers`, where the host's tensor is one of them.
    CudaDeparture(at::Tensor host, CUDAStream compute, std::shared_ptr<PinnedNumbers> numbers,
                  std::optional<std::int64_t> number)
        : host_(std::move(host)), numbers_(std::move(numbers)), number_(number) {
        arrived_.record(compute);
    }
    ~CudaDeparture() override {
        if (!number_) return;
        // A number that nobody read may still be written to.
        (void)failureOf([&] { arrived_.synchronize(); });
        numbers_->putBack(*number_);
    }
    CudaDeparture(const CudaDeparture&) = delete;
    CudaDeparture& operator=(const CudaDeparture&) = delete;
    bool ready() override { return arrived_.query(); }
    double read() override {
        arrived_.synchronize();
        return host_.item<double>();
    }

private:
    at::Tensor host_;  // pinned
    std::shared_ptr<PinnedNumbers> numbers_;
    std::optional<std::int64_t> number_;
    at::cuda::CUDAEvent arrived_;
};

class CudaGraph final : public CapturedWork {
public:
    CudaGraph(std::unique_ptr<at::cuda::CUDAGraph> graph, CUDAStream compute)
        : graph_(std::move(graph)), compute_(compute) {}
    void replay() override {
        const CUDAStreamGuard guard(compute_);
        graph_->replay();
    }

private:
    std::unique_ptr<at::cuda::CUDAGraph> graph_;
    CUDAStream compute_;
};

// LibTorch leaves stream and allocator capturing where a capture could not be ended properly.
void abandonCapture(CUDAStream stream, c10::MempoolId_t pool) {
    auto status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) == cudaSuccess && status != cudaStreamCaptureStatusNone) {
        cudaGraph_t broken = nullptr;
        (void)cudaStreamEndCapture(stream, &broken);
        if (broken) (void)cudaGraphDestroy(broken);
    }
    // Each call fails where LibTorch has already done it by itself.
    (void)failureOf([&] { c10::cuda::CUDACachingAllocator::endAllocateToPool(stream.device_index(), pool); });
    (void)failureOf([&] { at::getHostAllocator(at::kCUDA)->end_allocate_to_pool(pool); });
    (void)failureOf([&] { c10::cuda::CUDACachingAllocator::releasePool(stream.device_index(), pool); });
    // The next call that checks for errors would find the one of the failed capture.
    (void)cudaGetLastError();
}

std::string gibibytes(double bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f GiB", bytes / (1 << 30));
    return text;
}

class CudaTensorDevice final : public TensorDevice {
public:
    // Throws c10::Error where the device does not answer or LibTorch has no kernels for it.
    explicit CudaTensorDevice(c10::DeviceIndex index)
        : index_(index),
          compute_(c10::cuda::getStreamFromPool(/*isHighPriority=*/false, index)),
          copies_(c10::cuda::getStreamFromPool(/*isHighPriority=*/true, index)) {
        CudaTensorDevice::enter();
        TORCH_CHECK(at::ones({1}, at::TensorOptions(device())).item<double>() == 1, "it computes 1 as another number");
    }

    at::Device device() const override { return {at::kCUDA, index_}; }
    StreamHandle stream() const override { return compute_.stream(); }

    void enter() override {
        c10::cuda::set_device(index_);
        c10::cuda::setCurrentCUDAStream(compute_);
    }

    void prepare(at::ScalarType type) override {
        compileFlatKernels(type);
        numbers_->prepare(type);
    }

    std::unique_ptr<Arrival> bring(std::vector<at::Tensor> host) override {
        const CUDAStreamGuard guard(copies_);
        for (at::Tensor& tensor : host) {
            // LibTorch's allocator keeps the pinned memory until the copy is over.
            const at::Tensor pinned = tensor.is_pinned() ? tensor : tensor.pin_memory();
            tensor = pinned.to(device(), pinned.scalar_type(), /*non_blocking=*/true, /*copy=*/true);
        }
        return std::make_unique<CudaArrival>(std::move(host), copies_, compute_);
    }

    // Copies on the compute stream: a graph's next replay writes to the same memory.
    std::unique_ptr<Departure> send(const at::Tensor& scalar) override {
        const CUDAStreamGuard guard(compute_);
        const std::optional<std::int64_t> number = numbers_->take(scalar.scalar_type());
        at::Tensor host =
            number ? numbers_->at(*number) : at::empty({}, at::TensorOptions(scalar.scalar_type()).pinned_memory(true));
        host.copy_(scalar.detach(), /*non_blocking=*/true);
        return std::make_unique<CudaDeparture>(std::move(host), compute_, numbers_, number);
    }

    Result<std::unique_ptr<CapturedWork>> capture(const std::function<void()>& work) override {
        const CUDAStreamGuard guard(compute_);
        at::Generator random = at::cuda::detail::getDefaultCUDAGenerator(index_);
        const at::Generator before = random.clone();
        const c10::MempoolId_t pool = at::cuda::graph_pool_handle();
        auto graph = std::make_unique<at::cuda::CUDAGraph>();
        std::optional<std::string> failure = failureOf([&] {
            at::check_generator<at::CUDAGeneratorImpl>(random)->register_graph(graph.get());
            // Captures this thread's calls alone: autograd's threads, NCCL's and the watchdog's may call what they like
            // meanwhile.
            graph->capture_begin(pool, cudaStreamCaptureModeThreadLocal);
        });
        bool ended = false;
        if (!failure) {
            failure = failureOf(work);
            const std::optional<std::string> ending = failureOf([&] { graph->capture_end(); });
            ended = !ending;
            if (!failure) failure = ending;
        }
        if (!failure) return std::make_unique<CudaGraph>(std::move(graph), compute_);
        if (!ended) abandonCapture(compute_, pool);
        graph.reset();
        random.graphsafe_set_state(before);
        return fail(*failure);
    }

    std::string memoryText() const override {
        const auto [free, total] = c10::cuda::CUDACachingAllocator::get()->getMemoryInfo(index_);
        const auto own = c10::cuda::CUDACachingAllocator::getDeviceStats(index_).reserved_bytes[0].current;
        return gibibytes(static_cast<double>(own)) + " of " + gibibytes(static_cast<double>(total)) +
               " are LibTorch's, " + gibibytes(static_cast<double>(free)) + " are free";
    }

private:
    c10::DeviceIndex index_;
    CUDAStream compute_, copies_;
    std::shared_ptr<PinnedNumbers> numbers_ = std::make_shared<PinnedNumbers>();
};

}  // namespace
}  // namespace dasgd

extern "C" __attribute__((visibility("default"))) dasgd::TensorDevice* dasgdOpenTensorDevice(int index,
                                                                                             std::string* error) {
    dasgd::TensorDevice* device = nullptr;
    const auto failure =
        dasgd::failureOf([&] { device = new dasgd::CudaTensorDevice(static_cast<c10::DeviceIndex>(index)); });
    if (failure) *error = *failure;
    return device;
}
