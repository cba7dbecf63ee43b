// LibTorch's default generator: there is one a process, and ranks that are threads of it share it.
#pragma once

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Generator.h>

#include <mutex>

namespace dasgd {

// Held by whoever seeds the default generator or draws from it.
inline std::mutex& defaultGeneratorMutex() {
    static std::mutex mutex;
    return mutex;
}

// While it lives, the default generator of the process continues the stream `own`, for code that can draw from nowhere
// else. Afterwards it is as before, and `own` has moved on. Threads take turns.
class DefaultGeneratorScope {
public:
    explicit DefaultGeneratorScope(at::Generator& own)
        : lock_(defaultGeneratorMutex()),
          own_(own),
          default_(at::detail::getDefaultCPUGenerator()),
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
