// Compiles kernels for a device from their text, by NVRTC: LibTorch's CUDA wheels have it, and it needs no GPU.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "core/base/result.h"

struct _nvrtcProgram;

namespace dasgd {

// Functions of NVRTC that are used, as a table. Handles and numbers are its own, so that no header of it is needed.
struct NvrtcApi {
    using Program = _nvrtcProgram*;
    static constexpr int kSuccess = 0;

    std::function<int(int* count)> architectureCount;
    std::function<int(int* architectures)> architectures;  // 75, 80, … in rising order
    std::function<int(Program*, const char* source, const char* name, int headers, const char* const* texts,
                      const char* const* names)>
        create;
    std::function<int(Program, const char* expression)> addName;
    std::function<int(Program, int count, const char* const* options)> compile;
    std::function<int(Program, const char* expression, const char** lowered)> loweredName;
    std::function<int(Program, std::size_t* size)> logSize;
    std::function<int(Program, char* log)> log;
    std::function<int(Program, std::size_t* size)> binarySize;
    std::function<int(Program, char* binary)> binary;
    std::function<int(Program, std::size_t* size)> ptxSize;
    std::function<int(Program, char* ptx)> ptx;
    std::function<int(Program*)> destroy;
    std::function<const char*(int error)> errorText;
};

inline constexpr const char* kNvrtc = "libnvrtc.so.13";

// Loads NVRTC. Errors: the library is not there, or lacks a function.
[[nodiscard]] Result<NvrtcApi> loadNvrtc(const std::string& library = kNvrtc);

struct CompiledKernels {
    std::string image;               // for the device itself; PTX where the device is newer than the compiler
    std::vector<std::string> names;  // in `image`, in the order asked for
};

// Compiles `source` for devices of compute capability `capability` (90: 9.0), with the kernels that `names` name as C++
// does ("merge<float, 4>"). Multiplications and additions are not contracted. Errors: in the compiler's words; a device
// that is older than the compiler knows.
[[nodiscard]] Result<CompiledKernels> compileKernels(const NvrtcApi& api, const std::string& source,
                                                     const std::vector<std::string>& names, int capability);

}  // namespace dasgd
