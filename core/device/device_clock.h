// Instants of a device's events on the run's time line.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "core/base/clock.h"
#include "core/device/device.h"

namespace dasgd {

// Thread-safe. The instant of an event is that of a reference event, taken on a stream of its own that has no work,
// plus the device time between the two.
class DeviceClock {
public:
    // Takes the first reference: some hundred microseconds. Throws DeviceError where the device does not answer.
    // `device` and `clock` outlive it.
    DeviceClock(Device& device, const Clock& clock);

    // Instant of an event that has passed. Throws DeviceError.
    [[nodiscard]] Ns instantOf(const DeviceEvent& event);
    // Instant of an event; nullopt where it has not passed yet.
    [[nodiscard]] std::optional<Ns> instantIfPassed(const DeviceEvent& event);
    // Takes a new reference where the present one is older than a second. Takes the host some microseconds, and waits
    // for no stream that has work. To be called regularly.
    void refresh();
    // Bound of the error of an instant: half of the time that taking a reference took, and what the older reference had
    // drifted by until then; the largest so far.
    [[nodiscard]] Ns errorBound() const;

private:
    struct Reference {
        DeviceEvent event;
        Ns at = 0;
        Ns bound = 0;
    };
    // Takes the narrowest of `tries` references; null where the device answered none within `queries` queries.
    [[nodiscard]] std::shared_ptr<const Reference> measure(int tries, int queries);
    [[nodiscard]] std::shared_ptr<const Reference> reference() const;

    Device& device_;
    const Clock& clock_;
    DeviceStream stream_;
    mutable std::mutex mutex_;
    std::shared_ptr<const Reference> reference_;
    Ns bound_ = 0;
};

}  // namespace dasgd
