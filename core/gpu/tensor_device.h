// The device on which a rank computes, as LibTorch sees it: where tensors live, the stream that computes, copies beside
// it, and work that is captured once and given again.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/device/device_api.h"

namespace dasgd {

// Tensors that are being copied from the host to the device, beside what is computed.
class Arrival {
public:
    virtual ~Arrival() = default;
    // Returns the tensors on the device; what the compute stream is given from now on sees them. The host does not
    // wait. Call it once.
    [[nodiscard]] virtual std::vector<at::Tensor> take() = 0;
};

// A number of the device that is being copied to the host.
class Departure {
public:
    virtual ~Departure() = default;
    // True where read() would not wait.
    [[nodiscard]] virtual bool ready() = 0;
    // Waits where the number is not ready.
    [[nodiscard]] virtual double read() = 0;
};

// Work of the compute stream that was captured (a CUDA graph): the same kernels on the same memory.
class CapturedWork {
public:
    virtual ~CapturedWork() = default;
    // Gives all of it to the compute stream.
    virtual void replay() = 0;
};

// For the rank's training thread. Functions throw c10::Error where the device fails, as LibTorch's own do.
class TensorDevice {
public:
    virtual ~TensorDevice() = default;
    // LibTorch's name of the device, cuda:1; the CPU for a stand-in.
    [[nodiscard]] virtual at::Device device() const = 0;
    // The compute stream, which is not the default one.
    [[nodiscard]] virtual StreamHandle stream() const = 0;
    // Makes this device and its compute stream the current ones of the calling thread.
    virtual void enter() = 0;
    // Allocates and loads what later steps over flat tensors of `type`, and send(), need: doing it later would make the
    // host wait for the device, and ranks of one process could then wait for each other in a circle. Once for a type.
    virtual void prepare(at::ScalarType type) = 0;
    // Starts to copy `host`, which is kept until the copy is over; pins what is not pinned where that makes the copy
    // asynchronous.
    [[nodiscard]] virtual std::unique_ptr<Arrival> bring(std::vector<at::Tensor> host) = 0;
    // Starts to copy `scalar` [], as the compute stream has it at this point.
    [[nodiscard]] virtual std::unique_ptr<Departure> send(const at::Tensor& scalar) = 0;
    // Captures what `work` gives to the compute stream, without doing it. Memory that it allocates stays the graph's.
    // Errors: work that cannot be captured (it synchronises, or computes on the host), in LibTorch's words; the stream
    // continues as before.
    [[nodiscard]] virtual Result<std::unique_ptr<CapturedWork>> capture(const std::function<void()>& work) = 0;
    // Text for errors out of memory: "12.1 GiB of 79.1 GiB are LibTorch's, 3.0 GiB are free".
    [[nodiscard]] virtual std::string memoryText() const = 0;
};

}  // namespace dasgd
