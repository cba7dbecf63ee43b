// A machine of stand-ins for core/backends/gpu_backend.h: GPUs that are threads and the host's memory, and an NCCL over
// shared memory. Everything of the backend runs over it where no GPU is; no figure comes from it.
#pragma once

#include <torch/types.h>

#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/backends/gpu_runtime.h"
#include "tests/support/device/threaded_device.h"
#include "tests/support/nccl/standin_nccl.h"

namespace dasgd::test {

// Computes on the processor, at once: its stream waits where the calling thread does.
class StandInTensorDevice final : public TensorDevice {
public:
    // `device` is that of its tensors.
    explicit StandInTensorDevice(at::Device device = at::kCPU) : device_(device) {}

    [[nodiscard]] at::Device device() const override { return device_; }
    [[nodiscard]] StreamHandle stream() const override { return nullptr; }
    void enter() override {}
    void prepare(at::ScalarType) override {}
    [[nodiscard]] std::unique_ptr<Arrival> bring(std::vector<at::Tensor> host) override {
        class Here final : public Arrival {
        public:
            explicit Here(std::vector<at::Tensor> tensors) : tensors_(std::move(tensors)) {}
            [[nodiscard]] std::vector<at::Tensor> take() override { return std::move(tensors_); }

        private:
            std::vector<at::Tensor> tensors_;
        };
        return std::make_unique<Here>(std::move(host));
    }
    [[nodiscard]] std::unique_ptr<Departure> send(const at::Tensor& scalar) override {
        class There final : public Departure {
        public:
            explicit There(double value) : value_(value) {}
            [[nodiscard]] bool ready() override { return true; }
            [[nodiscard]] double read() override { return value_; }

        private:
            double value_;
        };
        return std::make_unique<There>(scalar.item<double>());
    }
    [[nodiscard]] Result<std::unique_ptr<CapturedWork>> capture(const std::function<void()>&) override {
        return fail("the stand-in for a GPU captures nothing");
    }
    [[nodiscard]] std::string memoryText() const override { return "the stand-in for a GPU has the host's memory"; }

private:
    at::Device device_;
};

// Settings that the backend asked the stand-ins for.
struct AskedOfStandIns {
    std::mutex mutex;
    std::vector<int> channels;    // of each communicator
    std::vector<int> priorities;  // of each stream
};

struct StandInMachine {
    int gpus = 4;
    int ncclVersion = 23007;
    std::string gpuName = "stand-in GPU";
    at::Device tensors = at::kCPU;
    std::shared_ptr<AskedOfStandIns> asked = nullptr;
};

inline GpuRuntime standInRuntime(const StandInMachine& machine = {}) {
    struct StandIns {
        ThreadedDevice device{ThreadedDevice::Compute::OnCaller};
        StandInNccl nccl{
            [this](StreamHandle stream, std::function<void()> work) { device.launch(stream, std::move(work)); }};
    };
    auto all = std::make_shared<StandIns>();
    all->device.devices = machine.gpus;
    all->device.name = machine.gpuName;
    all->nccl.version = machine.ncclVersion;
    DeviceApi device = all->device.api();
    NcclApi nccl = all->nccl.api();
    if (machine.asked) {
        device.streamCreate = [asked = machine.asked, create = device.streamCreate](StreamHandle* handle,
                                                                                    unsigned flags, int priority) {
            const std::lock_guard lock(asked->mutex);
            asked->priorities.push_back(priority);
            return create(handle, flags, priority);
        };
        nccl.commInit = [asked = machine.asked, init = nccl.commInit](NcclHandle* handle, int ranks, NcclId id,
                                                                      int rank, NcclConfig* config) {
            {
                const std::lock_guard lock(asked->mutex);
                asked->channels.push_back(config->maxCtas);
            }
            return init(handle, ranks, id, rank, config);
        };
    }
    return {.device = std::move(device),
            .nccl = std::move(nccl),
            .load = [] { return Status(); },
            // Holds what the tables point to.
            .open = [all, tensors = machine.tensors](int) -> Result<std::unique_ptr<TensorDevice>> {
                return std::make_unique<StandInTensorDevice>(tensors);
            }};
}

}  // namespace dasgd::test
