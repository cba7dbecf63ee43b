// Messages whose tensors are in a device's memory, by way of the host: NCCL has neither tags nor receives from any
// rank, and a message that nobody has asked for yet would hold up its stream. Where both ends know when they meet,
// Communicator::exchange needs no host.
//
//   send      compute: … copy to the host ─┐ (poll)
//             control:                      └─ send
//   receive   control: receive into the host's memory ─┐ (wait)
//             compute:                                  └─ copy to the device ── what uses it …
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/clock.h"
#include "core/comm/communicator.h"
#include "core/comm/completion.h"
#include "core/device/device.h"

namespace dasgd {

// Thread-safe; poll() runs callbacks of the operations whose messages it sends.
class DeviceMessages {
public:
    // `control` joins the same ranks; all arguments outlive this object. `timeout`: of one operation.
    DeviceMessages(Device& device, StreamHandle compute, Communicator& control, const Clock& clock,
                   std::chrono::milliseconds timeout)
        : device_(device), compute_(compute), control_(control), clock_(clock), timeout_(timeout) {}
    // Fails the messages that have not left.
    ~DeviceMessages();
    DeviceMessages(const DeviceMessages&) = delete;
    DeviceMessages& operator=(const DeviceMessages&) = delete;

    // Called by the thread that computes. A send transmits the tensor as the compute stream has it at this point,
    // whatever is written to it afterwards. A receive's tensor holds the message once wait() has returned, for what
    // that thread computes from then on: unlike a collective's, this wait() makes the host wait for the sender.
    // `label`: for errors. Throws DeviceError, and what LibTorch throws.
    [[nodiscard]] Pending start(MessageCall call, std::string label);

    // Sends the messages whose copy has reached the host. To be called every millisecond or so by one thread, which
    // does not train.
    void poll();

private:
    struct Leaving {
        DeviceEvent copied;
        std::shared_ptr<Completion> operation;
    };
    [[nodiscard]] Pending send(MessageCall call, std::string label);
    [[nodiscard]] Pending receive(MessageCall call);
    // Launches the send of a message whose copy has reached the host.
    void leave(Completion& operation);
    void fail(const std::string& reason);

    Device& device_;
    const StreamHandle compute_;
    Communicator& control_;
    const Clock& clock_;
    const std::chrono::milliseconds timeout_;
    std::mutex mutex_;
    std::deque<Leaving> leaving_;  // in the order of the stream
    bool sending_ = false;         // poll() is giving away what was in it
};

}  // namespace dasgd
