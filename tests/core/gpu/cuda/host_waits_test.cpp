// Whole runs on the GPUs of this machine, between whose evaluations no call of CUDA may make the host wait; skipped
// where there is no GPU. Two things look for one: LibTorch's own check, which throws (torch.cuda.set_sync_debug_mode
// ("error")), and a count of the runtime's calls that wait, whoever of LibTorch's libraries makes them. What NCCL and
// the engine do by themselves is not seen: the engine has no call that waits (core/device/device_api.h).
#include <c10/cuda/CUDAFunctions.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "core/gpu/tensor_device_library.h"
#include "tests/support/hosted.h"
#include "tests/support/nccl/on_this_machine.h"
#include "tests/support/steps_between.h"
#include "tests/support/trained_algorithms.h"
#include "tests/support/training.h"

namespace dasgd::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// A watch over the whole process: while it is on, calls that make the host wait throw or are noted.
class WatchedHost {
public:
    static void watch() {
        (void)take();
        watched = true;
        c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_ERROR);
    }
    static void leave() {
        c10::cuda::warning_state().set_sync_debug_mode(c10::cuda::SyncDebugMode::L_DISABLED);
        watched = false;
    }
    static void note(const char* call) {
        if (!watched) return;
        const std::lock_guard lock(mutex);
        calls.emplace_back(call);
    }
    [[nodiscard]] static std::vector<std::string> take() {
        const std::lock_guard lock(mutex);
        return std::exchange(calls, {});
    }

private:
    inline static std::atomic<bool> watched = false;
    inline static std::mutex mutex;
    inline static std::vector<std::string> calls;
};

// The runtime's own function, behind the one of this program.
template <class F>
F* ofTheRuntime(F*, const char* name) {
    return reinterpret_cast<F*>(::dlsym(RTLD_NEXT, name));
}

// The host waits for the end of a copy that touches pageable memory.
bool touchesPageableMemory(void* to, const void* from, cudaMemcpyKind kind) {
    if (kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToHost) return false;
    cudaPointerAttributes host{};
    if (cudaPointerGetAttributes(&host, kind == cudaMemcpyHostToDevice ? from : to) == cudaSuccess) {
        return host.type == cudaMemoryTypeUnregistered;
    }
    (void)cudaGetLastError();
    return false;
}

}  // namespace
}  // namespace dasgd::test

// Programs come before their libraries where the loader looks for functions: LibTorch's libraries call these.
extern "C" {
cudaError_t cudaDeviceSynchronize() {
    dasgd::test::WatchedHost::note("cudaDeviceSynchronize");
    static auto* const next = dasgd::test::ofTheRuntime(&cudaDeviceSynchronize, "cudaDeviceSynchronize");
    return next();
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    dasgd::test::WatchedHost::note("cudaStreamSynchronize");
    static auto* const next = dasgd::test::ofTheRuntime(&cudaStreamSynchronize, "cudaStreamSynchronize");
    return next(stream);
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    // An event that has passed is not waited for.
    if (cudaEventQuery(event) == cudaErrorNotReady) {
        (void)cudaGetLastError();
        dasgd::test::WatchedHost::note("cudaEventSynchronize");
    }
    static auto* const next = dasgd::test::ofTheRuntime(&cudaEventSynchronize, "cudaEventSynchronize");
    return next(event);
}
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
    dasgd::test::WatchedHost::note("cudaMemcpy");
    static auto* const next = dasgd::test::ofTheRuntime(&cudaMemcpy, "cudaMemcpy");
    return next(to, from, bytes, kind);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
    if (dasgd::test::touchesPageableMemory(to, from, kind)) {
        dasgd::test::WatchedHost::note("cudaMemcpyAsync of memory that is not pinned");
    }
    static auto* const next = dasgd::test::ofTheRuntime(&cudaMemcpyAsync, "cudaMemcpyAsync");
    return next(to, from, bytes, kind, stream);
}
}

namespace dasgd::test {
namespace {

constexpr int kSteps = 20, kFrom = 5, kUntil = 18;  // after which libraries have what they make once

struct WatchedRun {
    std::string what;
    Experiment experiment;
    std::vector<std::string> errors = {};  // of the ranks, in no order
    std::vector<std::string> waits = {};
};

class CudaHostWaits : public testing::Test {
protected:
    void SetUp() override {
        // Two ranks send something to each other; some machines take one alone.
        for (const int ranks : {2, 1}) {
            machine_ = onThisMachine(ranks);
            if (machine_.lacks.empty()) return;
        }
        GTEST_SKIP() << machine_.lacks;
    }
    void TearDown() override { WatchedHost::leave(); }

    [[nodiscard]] int ranks() const { return machine_.cluster.ranks(); }
    [[nodiscard]] WatchedRun run(const std::string& what, const Value& algorithm, const Fields& train = {},
                                 const Fields& data = {}) const {
        Fields of{{"steps", integer(kSteps)}, {"batch_size", integer(8)}, {"eval_every", integer(1000)}};
        of.insert(of.end(), train.begin(), train.end());
        Fields from{{"name", text("synthetic")}, {"train_samples", integer(512)}, {"test_samples", integer(64)}};
        from.insert(from.end(), data.begin(), data.end());
        const Fields sgd{{"name", text("sgd")}, {"learning_rate", number(0.01)}, {"momentum", number(0.9)}};
        return {
            .what = what,
            .experiment = std::move(
                readExperiment(table({{"algorithm", algorithm},
                                      {"model", table({{"name", text("lenet")}})},
                                      {"data", table(std::move(from))},
                                      {"train", table(std::move(of))},
                                      {"optimizer", table(sgd)},
                                      {"cluster", table({{"backend", text("nccl")}, {"workers", integer(ranks())}})}}))
                    .value())};
    }

    // Trains one run after the other over the same communicator, which takes seconds to connect; none behind one that
    // failed.
    void train(std::vector<WatchedRun>& runs) {
        std::vector<std::unique_ptr<StepsBetween>> gates;
        for (WatchedRun& run : runs) {
            gates.push_back(std::make_unique<StepsBetween>(ranks(), kFrom, kUntil, &WatchedHost::watch, [&run] {
                WatchedHost::leave();
                run.waits = WatchedHost::take();
            }));
        }
        std::atomic<bool> failed = false;
        std::mutex mutex;
        const auto body = [&](RankHost&, HostedRank& rank) {
            for (std::size_t i = 0; i < runs.size() && !failed; ++i) {
                MemorySink sink;
                const WorkerOutcome outcome = runWorker(runs[i].experiment, {.comm = rank.comm,
                                                                             .clock = rank.clock,
                                                                             .sink = sink,
                                                                             .control = gates[i].get(),
                                                                             .executor = rank.executor,
                                                                             .device = rank.device});
                if (outcome.error.empty()) continue;
                failed = true;
                const std::lock_guard lock(mutex);
                runs[i].errors.push_back(outcome.error);
            }
        };
        EXPECT_THAT(onBackend(*machine_.backend, machine_.cluster, body), IsEmpty());
    }

    OnThisMachine machine_;
};

TEST_F(CudaHostWaits, NoStepHasOne) {
    std::vector<WatchedRun> runs;
    for (const std::string& name : trainingAlgorithms()) {
        // Reads the loss where it chooses a period: below.
        if (name == "adacomm") continue;
        if (name == "acco") continue;  // refused on GPUs
        // Read numbers of a device in every step, or for each leader, to choose by them.
        if (name == "osp" || name == "leader_sgd" || name == "selsync") continue;
        if (name == "ssp" && ranks() == 1) continue;
        runs.push_back(run(name, often(name)));
    }
    runs.push_back(run("prefetch", often("dasgd"), {}, {{"device_data", text("prefetch")}}));
    runs.push_back(run("captured", often("dasgd"), {{"cuda_graph", boolean(true)}}));
    train(runs);
    for (const WatchedRun& run : runs) {
        EXPECT_THAT(run.errors, IsEmpty()) << run.what;
        EXPECT_THAT(run.waits, IsEmpty()) << run.what;
    }
}

TEST_F(CudaHostWaits, AnAverageOfAdacommHasOne) {
    std::vector<WatchedRun> runs;
    runs.push_back(run("adacomm", often("adacomm")));
    train(runs);
    EXPECT_THAT(runs[0].errors, Contains(HasSubstr("synchroniz")));
}

// Both ways of finding a wait see LibTorch's calls. No GPU is needed to show it.
TEST(WatchedHost, SeesWhatLibTorchCalls) {
    WatchedHost::watch();
    EXPECT_THROW(c10::cuda::warn_or_error_on_sync(), c10::Error);
    try {
        c10::cuda::device_synchronize();
    } catch (const c10::Error&) {
        // This machine may have no device.
    }
    WatchedHost::leave();
    EXPECT_THAT(WatchedHost::take(), Contains("cudaDeviceSynchronize"));
    c10::cuda::warn_or_error_on_sync();
}

TEST_F(CudaHostWaits, AreFound) {
    auto opened = openTensorDevice(0);
    ASSERT_TRUE(opened) << opened.error().message;
    const at::Tensor there = at::ones({1000}, at::TensorOptions((*opened)->device())), host = at::ones({1000});
    at::Tensor pinned = host.pin_memory();
    WatchedHost::watch();
    EXPECT_THROW((void)there.sum().item<double>(), c10::Error);
    EXPECT_THROW((void)there.cpu(), c10::Error);
    (void)WatchedHost::take();
    pinned.copy_(there, /*non_blocking=*/true);
    EXPECT_THAT(WatchedHost::take(), IsEmpty());
    (void)host.to(there.device(), /*non_blocking=*/true);
    EXPECT_THAT(WatchedHost::take(), Contains(HasSubstr("not pinned")));
    WatchedHost::leave();
    WatchedHost::watch();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_THAT(WatchedHost::take(), Contains("cudaDeviceSynchronize"));
    WatchedHost::leave();
    EXPECT_EQ(pinned.sum().item<double>(), 1000);
}

}  // namespace
}  // namespace dasgd::test
