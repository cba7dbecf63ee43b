// Kernels by NVRTC itself, which needs no GPU; skipped where it is not installed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/gpu/flat_kernels.h"
#include "core/gpu/kernel_compiler.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;

TEST(Nvrtc, CompilesAndRefuses) {
    const auto api = loadNvrtc();
    if (!api) GTEST_SKIP() << api.error().message;
    const std::string source = "template <int k> __global__ void fill(float* to) { to[threadIdx.x] = k; }";
    const auto compiled = compileKernels(*api, source, {"fill<3>"}, 90);
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_THAT(compiled->image, HasSubstr(compiled->names.at(0)));
    const auto broken = compileKernels(*api, "no C++", {}, 90);
    ASSERT_FALSE(broken);
    EXPECT_THAT(broken.error().message, HasSubstr("dasgd.cu(1)"));
}

TEST(Nvrtc, TakesTheKernelsOfFlatTensors) {
    const auto api = loadNvrtc();
    if (!api) GTEST_SKIP() << api.error().message;
    std::vector<std::string> names;
    for (const char* kernel : {"snapshot", "snapshotAt", "combine", "sum", "merge", "mergeOfParts", "mergeAt",
                               "outerStepToMean", "outerStepLate"}) {
        for (const char* type : {"float, 4", "float, 1", "double, 2", "unsigned short, 8"}) {
            names.push_back(std::string(kernel) + "<" + type + ">");
        }
    }
    const auto compiled = compileKernels(*api, flatKernelsSource(), names, 90);
    ASSERT_TRUE(compiled) << compiled.error().message;
    EXPECT_EQ(compiled->names.size(), names.size());
    for (const std::string& name : compiled->names) EXPECT_NE(compiled->image.find(name), std::string::npos);
}

}  // namespace
}  // namespace dasgd::test
