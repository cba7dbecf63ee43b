// Requests to the kernel compiler and its answers, on a table that acts as NVRTC, and on NVRTC itself where there is
// one.
#include "core/gpu/kernel_compiler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(KernelCompiler, WithoutTheLibraryItSaysWhatToInstall) {
    const auto api = loadNvrtc("libnobody.so.1");
    ASSERT_FALSE(api);
    EXPECT_THAT(api.error().message, AllOf(HasSubstr("libnobody.so.1"), HasSubstr("nvidia-cuda-nvrtc")));
}

TEST(KernelCompiler, AnotherLibraryIsRefusedWithWhatItLacks) {
    const auto api = loadNvrtc("libm.so.6");
    ASSERT_FALSE(api);
    EXPECT_THAT(api.error().message, AllOf(HasSubstr("libm.so.6"), HasSubstr("nvrtcCompileProgram")));
}

// Knows devices of 7.5, 9.0 and 10.0, and has compiled "binary", or "ptx".
class ModelCompiler {
public:
    NvrtcApi api() {
        NvrtcApi api;
        api.architectureCount = [](int* count) { return *count = 3, 0; };
        api.architectures = [](int* all) { return all[0] = 75, all[1] = 90, all[2] = 100, 0; };
        api.create = [this](NvrtcApi::Program* program, const char*, const char*, int, const char* const*,
                            const char* const*) {
            *program = reinterpret_cast<NvrtcApi::Program>(this);
            return 0;
        };
        api.addName = [this](NvrtcApi::Program, const char* name) { return names.emplace_back(name), 0; };
        api.compile = [this](NvrtcApi::Program, int count, const char* const* given) {
            options.assign(given, given + count);
            return compileError;
        };
        api.loweredName = [this](NvrtcApi::Program, const char* name, const char** lowered) {
            *lowered = lowered_.emplace_back(std::make_unique<std::string>(std::string("_Z") + name))->c_str();
            return 0;
        };
        api.errorText = [](int) { return "NVRTC_ERROR_COMPILATION"; };
        api.destroy = [this](NvrtcApi::Program*) { return ++destroyed, 0; };
        answer(api.logSize, api.log, "dasgd.cu(3): error");
        answer(api.binarySize, api.binary, "binary");
        answer(api.ptxSize, api.ptx, "ptx");
        return api;
    }

    int compileError = 0, destroyed = 0;
    std::vector<std::string> names, options;

private:
    static void answer(std::function<int(NvrtcApi::Program, std::size_t*)>& size,
                       std::function<int(NvrtcApi::Program, char*)>& fill, std::string text) {
        size = [text](NvrtcApi::Program, std::size_t* bytes) { return *bytes = text.size(), 0; };
        fill = [text](NvrtcApi::Program, char* to) { return std::memcpy(to, text.data(), text.size()), 0; };
    }
    std::vector<std::unique_ptr<std::string>> lowered_;
};

TEST(KernelCompiler, CompilesForTheDeviceItself) {
    ModelCompiler model;
    const auto compiled = compileKernels(model.api(), "source", {"a<1>", "b"}, 90);
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(compiled->image, "binary");
    EXPECT_THAT(compiled->names, ElementsAre("_Za<1>", "_Zb"));
    EXPECT_THAT(model.names, ElementsAre("a<1>", "b"));
    EXPECT_THAT(model.options, AllOf(Contains("--gpu-architecture=sm_90"), Contains("--fmad=false")));
    EXPECT_EQ(model.destroyed, 1);
}

TEST(KernelCompiler, ForANewerDeviceTheDriverCompilesOn) {
    ModelCompiler model;
    const auto compiled = compileKernels(model.api(), "source", {}, 120);
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(compiled->image, "ptx");
    EXPECT_THAT(model.options, Contains("--gpu-architecture=compute_100"));
}

TEST(KernelCompiler, AnOlderDeviceIsRefused) {
    ModelCompiler model;
    const auto compiled = compileKernels(model.api(), "source", {}, 70);
    ASSERT_FALSE(compiled);
    EXPECT_THAT(compiled.error().message, AllOf(HasSubstr("capability 7.0"), HasSubstr("begins with 7.5")));
}

TEST(KernelCompiler, WhatTheCompilerSaysIsTold) {
    ModelCompiler model;
    model.compileError = 6;
    const auto compiled = compileKernels(model.api(), "source", {}, 90);
    ASSERT_FALSE(compiled);
    EXPECT_THAT(compiled.error().message, AllOf(HasSubstr("NVRTC_ERROR_COMPILATION"), HasSubstr("dasgd.cu(3): error")));
    EXPECT_EQ(model.destroyed, 1);
}

}  // namespace
}  // namespace dasgd::test
