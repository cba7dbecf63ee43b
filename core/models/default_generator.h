// Random streams of a device, and LibTorch's default one, of which there is one for each process and device, shared by
// ranks that are threads.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Context.h>
#include <ATen/core/Generator.h>
#include <c10/core/Device.h>

#include <cstdint>

#include <mutex>

namespace dasgd {

// Generator of numbers that are drawn on `device`.
inline at::Generator makeGenerator(at::Device device, std::uint64_t seed) {
    if (device.is_cpu()) return at::detail::createCPUGenerator(seed);
    at::Generator generator =
        at::globalContext().getAcceleratorHooksInterface(device.type()).getNewGenerator(device.index());
    generator.set_current_seed(seed);
    return generator;
}

// Held while the default generator is seeded or drawn from.
inline std::mutex& defaultGeneratorMutex() {
    static std::mutex mutex;
    return mutex;
}

// During the object's lifetime the default generator of `own`'s device continues the stream `own`, for code that can
// draw from nowhere else. Afterwards it is as before, and `own` has moved on. Threads take turns.
class DefaultGeneratorScope {
public:
    explicit DefaultGeneratorScope(at::Generator& own)
        : lock_(defaultGeneratorMutex()),
          own_(own),
          default_(at::globalContext().defaultGenerator(own.device())),
          before_(default_.get_state()) {
        default_.set_state(own_.get_state());
    }
    ~DefaultGeneratorScope() {
        own_.set_state(default_.get_state());
        default_.set_state(before_);
    }
    DefaultGeneratorScope(const DefaultGeneratorScope&) = delete;
    DefaultGeneratorScope& operator=(const DefaultGeneratorScope&) = delete;

private:
    std::lock_guard<std::mutex> lock_;
    at::Generator& own_;
    at::Generator default_;
    at::Tensor before_;
};

}  // namespace dasgd
