// Communication between devices through NCCL, called directly. Collectives and exchanges run on a stream of their own
// beside the compute stream (core/comm/stream/stream_queue.h), in launch order; a wait is one of the device, not of the
// host. Tensors in the host's memory, and every message that is no part of an exchange, go through the control group
// beside it (Gloo), a device's messages by way of the host's memory (device_messages.h). A watchdog thread asks NCCL
// for errors and watches the deadlines; on either, the communicator is aborted, and every operation of it fails with
// the reason.
//
// NCCL's data sockets carry no authentication: they are bound to one named interface, for trusted networks.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "core/base/clock.h"
#include "core/base/result.h"
#include "core/comm/communicator.h"
#include "core/comm/gloo/rendezvous.h"
#include "core/comm/nccl/nccl_api.h"
#include "core/device/device_clock.h"

namespace dasgd {

struct NcclOptions {
    Rank rank;
    int size = 1;
    std::string interface = "lo";               // network interface of NCCL's sockets
    std::chrono::milliseconds timeout{60'000};  // longest time of one operation
    int channels = 0;                           // most channels that NCCL may use; 0: NCCL chooses
    StreamPriority priority = StreamPriority::Greatest;
};

// Device, clocks and library that a rank's communicators use; all of it outlives them.
struct NcclDevice {
    const NcclApi& nccl;
    Device& device;
    DeviceClock& times;
    StreamHandle compute = nullptr;
    std::function<bool(const at::Tensor&)> holds;  // the tensor is in the device's memory
};

// Connects all ranks; blocks until every rank is there. `control` joins the same ranks; the store behind `rendezvous`
// must be reachable as long as groups are split off. `clock` outlives the communicator.
[[nodiscard]] Result<std::unique_ptr<Communicator>> makeNccl(const Rendezvous& rendezvous, const NcclOptions& options,
                                                             const NcclDevice& device,
                                                             std::unique_ptr<Communicator> control, const Clock& clock);

}  // namespace dasgd
