#include "core/gpu/kernel_compiler.h"

#include <algorithm>
#include <memory>

#include "core/device/shared_library.h"

namespace dasgd {

namespace {

using Size = std::function<int(NvrtcApi::Program, std::size_t*)>;
using Fill = std::function<int(NvrtcApi::Program, char*)>;

class Program {
public:
    Program(const NvrtcApi& api, const std::string& source) : api_(api) {
        error_ = api.create(&program_, source.c_str(), "dasgd.cu", 0, nullptr, nullptr);
    }
    ~Program() {
        if (program_) api_.destroy(&program_);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    [[nodiscard]] Status check(const char* call) const { return check(error_, call); }
    [[nodiscard]] Status add(const std::string& name) {
        return check(api_.addName(program_, name.c_str()), "nvrtcAddNameExpression");
    }
    [[nodiscard]] Status compile(const std::vector<std::string>& options) {
        std::vector<const char*> texts;
        for (const std::string& option : options) texts.push_back(option.c_str());
        const int error = api_.compile(program_, static_cast<int>(texts.size()), texts.data());
        if (error == NvrtcApi::kSuccess) return {};
        const Result<std::string> log = text(api_.logSize, api_.log, "nvrtcGetProgramLog");
        return fail(std::string("NVRTC cannot compile the kernels: ") + api_.errorText(error) + "\n" +
                    log.value_or(std::string()));
    }
    [[nodiscard]] Result<std::string> lowered(const std::string& name) const {
        const char* found = nullptr;
        DASGD_TRY(check(api_.loweredName(program_, name.c_str(), &found), "nvrtcGetLoweredName"));
        return std::string(found);
    }
    [[nodiscard]] Result<std::string> text(const Size& size, const Fill& fill, const char* call) const {
        std::size_t bytes = 0;
        DASGD_TRY(check(size(program_, &bytes), call));
        std::string all(bytes, '\0');
        DASGD_TRY(check(fill(program_, all.data()), call));
        return all;
    }

private:
    [[nodiscard]] Status check(int error, const char* call) const {
        if (error == NvrtcApi::kSuccess) return {};
        return fail(std::string(call) + " failed: " + api_.errorText(error));
    }

    const NvrtcApi& api_;
    NvrtcApi::Program program_ = nullptr;
    int error_ = 0;
};

// Newest architecture that a device of `capability` can run and the compiler can compile for.
Result<int> architectureFor(const NvrtcApi& api, int capability) {
    int count = 0;
    if (api.architectureCount(&count) != NvrtcApi::kSuccess || count <= 0) return fail("NVRTC knows no device");
    std::vector<int> known(static_cast<std::size_t>(count));
    if (const int error = api.architectures(known.data()); error != NvrtcApi::kSuccess) {
        return fail(std::string("nvrtcGetSupportedArchs failed: ") + api.errorText(error));
    }
    std::ranges::sort(known);
    const auto after = std::ranges::upper_bound(known, capability);
    if (after != known.begin()) return *std::prev(after);
    return fail("the GPU has compute capability " + std::to_string(capability / 10) + "." +
                std::to_string(capability % 10) + "; CUDA 13 begins with " + std::to_string(known.front() / 10) + "." +
                std::to_string(known.front() % 10));
}

}  // namespace

Result<NvrtcApi> loadNvrtc(const std::string& library) {
    auto opened = SharedLibrary::open(library);
    if (!opened) {
        return fail(std::string("CUDA's compiler for kernels cannot be loaded (") + opened.error().message +
                    "). It comes with torch, where it is installed with its dependencies, or by pip install "
                    "nvidia-cuda-nvrtc.");
    }
    NvrtcApi api;
    opened->take(api.architectureCount, "nvrtcGetNumSupportedArchs");
    opened->take(api.architectures, "nvrtcGetSupportedArchs");
    opened->take(api.create, "nvrtcCreateProgram");
    opened->take(api.addName, "nvrtcAddNameExpression");
    opened->take(api.compile, "nvrtcCompileProgram");
    opened->take(api.loweredName, "nvrtcGetLoweredName");
    opened->take(api.logSize, "nvrtcGetProgramLogSize");
    opened->take(api.log, "nvrtcGetProgramLog");
    opened->take(api.binarySize, "nvrtcGetCUBINSize");
    opened->take(api.binary, "nvrtcGetCUBIN");
    opened->take(api.ptxSize, "nvrtcGetPTXSize");
    opened->take(api.ptx, "nvrtcGetPTX");
    opened->take(api.destroy, "nvrtcDestroyProgram");
    opened->take(api.errorText, "nvrtcGetErrorString");
    if (opened->missing().empty()) return api;
    return fail(library + " is no NVRTC that can be used: it has no " + opened->missing() + ". Version 13 is needed.");
}

Result<CompiledKernels> compileKernels(const NvrtcApi& api, const std::string& source,
                                       const std::vector<std::string>& names, int capability) {
    DASGD_ASSIGN(const int architecture, architectureFor(api, capability));
    const bool exact = architecture == capability;
    Program program(api, source);
    DASGD_TRY(program.check("nvrtcCreateProgram"));
    for (const std::string& name : names) DASGD_TRY(program.add(name));
    DASGD_TRY(program.compile(
        {std::string("--gpu-architecture=").append(exact ? "sm_" : "compute_") + std::to_string(architecture),
         "--std=c++17", "--fmad=false"}));
    CompiledKernels compiled;
    for (const std::string& name : names) {
        DASGD_ASSIGN(std::string lowered, program.lowered(name));
        compiled.names.push_back(std::move(lowered));
    }
    DASGD_ASSIGN(compiled.image, exact ? program.text(api.binarySize, api.binary, "nvrtcGetCUBIN")
                                       : program.text(api.ptxSize, api.ptx, "nvrtcGetPTX"));
    return compiled;
}

}  // namespace dasgd
