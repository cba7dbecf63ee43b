// Functions of a library that is loaded at run time, as drivers' libraries are.
#pragma once

#include <functional>
#include <string>

#include "core/base/result.h"

namespace dasgd {

// Stays loaded until the process ends: libraries of drivers do not survive being closed.
class SharedLibrary {
public:
    // `name`: a path, or a file name that the loader looks for. Errors: the loader's own words.
    [[nodiscard]] static Result<SharedLibrary> open(const std::string& name);

    // Puts the function `name` into `into`, which must have its type. Where there is none, `into` is left as it is and
    // the name is kept for missing().
    template <class R, class... Args>
    void take(std::function<R(Args...)>& into, const char* name) {
        if (auto* found = reinterpret_cast<R (*)(Args...)>(find(name))) into = found;
    }
    // "cudaEventQuery, cudaEventRecord"; empty where every function asked for is there.
    [[nodiscard]] const std::string& missing() const { return missing_; }

private:
    explicit SharedLibrary(void* handle) : handle_(handle) {}
    void* find(const char* name);

    void* handle_;
    std::string missing_;
};

}  // namespace dasgd
