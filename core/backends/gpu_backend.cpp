#include "core/backends/gpu_backend.h"

#include <algorithm>
#include <cstdlib>

#include "core/backends/gloo_group.h"
#include "core/backends/gpu_placement.h"
#include "core/base/check.h"
#include "core/base/log.h"
#include "core/base/metric_names.h"
#include "core/comm/nccl/nccl.h"
#include "core/comm/nccl/nccl_library.h"
#include "core/exec/device_executor.h"

namespace dasgd {

namespace {

constexpr int kQueuesOfGpu = 64;

// A rank and its GPU. Members are in the order in which they need one another.
class GpuHost final : public RankHost {
public:
    // Throws DeviceError.
    GpuHost(GpuRuntime runtime, std::unique_ptr<TensorDevice> tensors, int gpu, const HostRequest& request)
        : clock_(request.clock),
          gate_(request.control),
          sink_(request.sink(Rank(request.ranks.front()))),
          deadline_(request.cluster->deadline()),
          runtime_(std::move(runtime)),
          tensors_(std::move(tensors)),
          device_(runtime_.device, gpu),
          times_(device_, request.clock) {}

    Status connect(GlooGroup group, const NcclOptions& options) {
        const NcclDevice device{.nccl = runtime_.nccl,
                                .device = device_,
                                .times = times_,
                                .compute = tensors_->stream(),
                                .holds = [own = tensors_->device()](const at::Tensor& t) { return t.device() == own; }};
        DASGD_ASSIGN(comm_, makeNccl(group.rendezvous, options, device, std::move(group.comm), clock_));
        recordClockError();
        return {};
    }

    void run(const std::function<void(HostedRank&)>& body) override {
        tensors_->enter();
        HostedRank rank{.comm = *comm_,
                        .clock = clock_,
                        .gate = gate_,
                        .executor = onDevice({device_, times_, tensors_->stream(), deadline_}),
                        .device = tensors_.get()};
        body(rank);
        // The bound only grows.
        if (times_.errorBound() > recordedBound_) recordClockError();
    }
    // Nothing to do: the process has no other rank.
    void abort(const std::string&) override {}

private:
    void recordClockError() {
        recordedBound_ = times_.errorBound();
        sink_.metric({.name = metrics::kDeviceClockErrorS,
                      .wall = clock_.now(),
                      .value = static_cast<double>(recordedBound_) * 1e-9});
    }

    Clock& clock_;
    StepGate* gate_;
    EventSink& sink_;
    const std::chrono::milliseconds deadline_;
    const GpuRuntime runtime_;
    const std::unique_ptr<TensorDevice> tensors_;
    Device device_;
    DeviceClock times_;
    Ns recordedBound_ = 0;
    std::unique_ptr<Communicator> comm_;
};

// Checks the placement of all ranks, before NCCL connects. Collective over all ranks.
Status agreeOnPlacement(Communicator& control, const DeviceFacts& gpu, int ranksPerGpu, bool mixed) {
    GpuPlacement own = placementOnThisHost();
    own.gpu = gpu.name;
    own.uuid = gpu.uuid;
    try {
        return checkPlacements(gatherPlacements(control, own), ranksPerGpu, mixed);
    } catch (const CommError& error) {
        return fail(error.what());
    }
}

}  // namespace

Layout GpuBackend::layout(int ranks) const {
    Layout layout = Layout::processARank(ranks);
    layout.onGpus = true;
    return layout;
}

Status GpuBackend::check(const Value& document, const ClusterParams& cluster) const {
    DASGD_TRY(refuseSimulatedSections(document, cluster));
    if (!cluster.link) return {};
    return fail(document.find("cluster")->find("link")->keyPosition().prefix() +
                "link makes the host wait, and what GPUs exchange only a GPU waits for: remove it, or set backend = "
                "\"gloo\" to emulate a network");
}

// Sets the environment variables that NCCL and CUDA read once. Values that users have set stay.
void GpuBackend::setNcclEnvironment() const {
    // Streams that share a hardware queue wait for each other, and connections that are made when they are first needed
    // hold up the thread that launches. Ranks that share a GPU share its queues: with 32 each, a few of them have taken
    // all (CUDA documentation, Multi-Process Service, CUDA_DEVICE_MAX_CONNECTIONS).
    const int queues = std::clamp(kQueuesOfGpu / static_cast<int>(params_.ranksPerGpu), 8, 32);
    ::setenv("CUDA_DEVICE_MAX_CONNECTIONS", std::to_string(queues).c_str(), 0);
    ::setenv("NCCL_RUNTIME_CONNECT", "0", 0);
    if (params_.ranksPerGpu == 1) return;
    ::setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", 1);
    ::setenv("NCCL_NET_GDR_LEVEL", "LOC", 0);
}

// NCCL's default has room for two ranks on a GPU, and more of them hang (NCCL documentation,
// NCCL_MULTI_RANK_GPU_ENABLE).
int GpuBackend::channels() const {
    if (params_.ncclChannels > 0 || params_.ranksPerGpu == 1) return static_cast<int>(params_.ncclChannels);
    constexpr int kChannelsOfGpu = 16;
    return std::max(1, kChannelsOfGpu / static_cast<int>(params_.ranksPerGpu));
}

Status GpuBackend::prepareProcess() const {
    setNcclEnvironment();
    DASGD_ASSIGN(const GpuRuntime runtime, load_());
    return runtime.load();
}

Result<std::string> GpuBackend::checkMachine(const ClusterParams& cluster) const {
    setNcclEnvironment();
    DASGD_ASSIGN(const GpuRuntime runtime, load_());
    DASGD_ASSIGN(const auto gpus, checkGpus(runtime, {.ranks = cluster.ranks(),
                                                      .ranksPerGpu = static_cast<int>(params_.ranksPerGpu),
                                                      .mixed = params_.mixedGpus}));
    DASGD_TRY(runtime.load());
    return describeGpus(runtime, gpus);
}

Result<int> GpuBackend::gpuOf(const HostRequest& request, int gpus) const {
    // A launcher may show each rank its own GPU and no other. The ranks check together, in agreeOnPlacement(), that
    // they do not share it.
    if (gpus == 1) return 0;
    if (!request.localRank && request.cluster->ranks() > 1) {
        return fail("this rank sees " + countOfGpus(static_cast<std::size_t>(gpus)) +
                    " and does not know which is its own: set LOCAL_RANK, its number on this host from 0, as torchrun, "
                    "srun and mpirun do, or show it one GPU with CUDA_VISIBLE_DEVICES");
    }
    const int local = request.localRank.value_or(0);
    const int gpu = local / static_cast<int>(params_.ranksPerGpu);
    if (gpu < gpus) return gpu;
    return fail("rank " + std::to_string(request.ranks.front()) + ", the one of LOCAL_RANK " + std::to_string(local) +
                ", would take GPU " + std::to_string(gpu) + ", and this process sees " +
                countOfGpus(static_cast<std::size_t>(gpus)) +
                ", counted from 0: start fewer ranks on this host, or set ranks_per_gpu in [cluster]");
}

Result<std::unique_ptr<RankHost>> GpuBackend::open(const HostRequest& request) const {
    DASGD_CHECK(request.ranks.size() == 1);
    const int ranksPerGpu = static_cast<int>(params_.ranksPerGpu);
    setNcclEnvironment();
    DASGD_ASSIGN(GpuRuntime runtime, load_());
    // Checks that this process can make alone, before others wait for it.
    DASGD_ASSIGN(const auto gpus, checkGpus(runtime, {.ranks = 1, .ranksPerGpu = ranksPerGpu}));
    DASGD_ASSIGN(const int gpu, gpuOf(request, static_cast<int>(gpus.size())));
    if (ranksPerGpu > 1 && request.ranks.front() == 0 && !multiProcessServiceRuns()) {
        logLine(LogLevel::Warning, kByTurns);
    }
    DASGD_ASSIGN(auto tensors, runtime.open(gpu));
    DASGD_ASSIGN(GlooGroup group, meetOverGloo(request));
    DASGD_TRY(agreeOnPlacement(*group.comm, gpus[static_cast<std::size_t>(gpu)], ranksPerGpu, params_.mixedGpus));
    // The callback moves the host's clock, by which the device's is read.
    if (request.connected) DASGD_TRY(request.connected(*group.comm));
    const NcclOptions options{
        .rank = Rank(request.ranks.front()),
        .size = request.cluster->ranks(),
        .interface = group.interface.name,
        .timeout = request.cluster->deadline(),
        .channels = channels(),
        .priority = params_.commPriority == "high" ? StreamPriority::Greatest : StreamPriority::Least};
    try {
        auto host = std::make_unique<GpuHost>(std::move(runtime), std::move(tensors), gpu, request);
        DASGD_TRY(host->connect(std::move(group), options));
        return host;
    } catch (const DeviceError& error) {
        return fail("rank " + std::to_string(request.ranks.front()) + ": " + error.what());
    }
}

}  // namespace dasgd
