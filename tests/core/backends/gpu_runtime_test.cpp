// Checks of a machine before ranks start, on stand-in machines and on tables that answer as a machine would that lacks
// something.
#include "core/backends/gpu_runtime.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/nccl/standin_machine.h"
#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

std::string refusal(const GpuRuntime& runtime, const GpuDemand& demand) {
    const auto answer = checkGpus(runtime, demand);
    return answer ? "" : answer.error().message;
}

TEST(GpuRuntime, ARankAGpuOrSeveralOnOne) {
    EXPECT_THAT(checkGpus(standInRuntime(), {.ranks = 4}).value(), SizeIs(4));
    EXPECT_TRUE(checkGpus(standInRuntime({.gpus = 1}), {.ranks = 4, .ranksPerGpu = 4}));
    EXPECT_TRUE(checkGpus(standInRuntime({.gpus = 2}), {.ranks = 3, .ranksPerGpu = 2}));
}

TEST(GpuRuntime, FewerGpusThanTheRanksNeedIsRefusedWithWhatWouldDo) {
    EXPECT_THAT(refusal(standInRuntime({.gpus = 2}), {.ranks = 4}),
                AllOf(HasSubstr("4 ranks need 4 GPUs"), HasSubstr("2 GPUs can be used"), HasSubstr("workers = 2"),
                      HasSubstr("ranks_per_gpu = 2")));
    EXPECT_THAT(refusal(standInRuntime({.gpus = 1}), {.ranks = 5, .ranksPerGpu = 2}),
                AllOf(HasSubstr("5 ranks need 3 GPUs with ranks_per_gpu = 2"), HasSubstr("one GPU can"),
                      HasSubstr("workers = 2"), HasSubstr("ranks_per_gpu = 5")));
}

TEST(GpuRuntime, AnNcclThatIsTooOldForTheRanksIsRefused) {
    EXPECT_THAT(refusal(standInRuntime({.ncclVersion = 21405}), {}), HasSubstr("NCCL is 2.14.5"));
    EXPECT_TRUE(checkGpus(standInRuntime({.ncclVersion = 22809}), {.ranks = 4}));
    EXPECT_THAT(refusal(standInRuntime({.ncclVersion = 22809}), {.ranks = 4, .ranksPerGpu = 2}),
                AllOf(HasSubstr("NCCL is 2.28.9"), HasSubstr("2.30.0"), HasSubstr("nvidia-nccl-cu13")));
}

TEST(GpuRuntime, GpusThatDifferAreRefusedUnlessTheyMay) {
    GpuRuntime runtime = standInRuntime();
    runtime.device.properties = [](DeviceProperties* properties, int device) {
        *properties = {};
        std::string(device == 3 ? "small GPU" : "large GPU").copy(properties->name, 200);
        return DeviceApi::kSuccess;
    };
    EXPECT_THAT(refusal(runtime, {.ranks = 4}),
                AllOf(HasSubstr("large GPU, small GPU"), HasSubstr("mixed_gpus = true"), HasSubstr("CUDA_VISIBLE")));
    EXPECT_TRUE(checkGpus(runtime, {.ranks = 4, .mixed = true}));
    EXPECT_TRUE(checkGpus(runtime, {.ranks = 3})) << "those that are used are alike";
}

TEST(GpuRuntime, WithoutADriverOrWithAnOldOneItSaysWhatToInstall) {
    GpuRuntime runtime = standInRuntime();
    runtime.device.driverVersion = [](int* out) { return *out = 0, DeviceApi::kSuccess; };
    EXPECT_THAT(refusal(runtime, {}), AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("backend = \"gloo\"")));
    runtime = standInRuntime();
    runtime.device.driverVersion = [](int* out) { return *out = 12040, DeviceApi::kSuccess; };
    runtime.device.deviceCount = [](int*) { return DeviceApi::kInsufficientDriver; };
    EXPECT_THAT(refusal(runtime, {}), AllOf(HasSubstr("made for CUDA 12.4"), HasSubstr("install a newer driver")));
}

TEST(GpuRuntime, IsDescribedWithItsVersionsAndWhatTheyAllow) {
    const GpuRuntime one = standInRuntime({.gpus = 1, .ncclVersion = 22809});
    EXPECT_EQ(describeGpus(one, describeDevices(one.device).value()),
              "one GPU (stand-in GPU), driver for CUDA 13.0, NCCL 2.28.9, one rank a GPU");
    const TempDir service;
    ::setenv("CUDA_MPS_PIPE_DIRECTORY", service.path().c_str(), 1);
    std::ofstream(service.path() / "control").put('x');
    const GpuRuntime two = standInRuntime({.gpus = 2});
    EXPECT_EQ(describeGpus(two, describeDevices(two.device).value()),
              "2 GPUs (stand-in GPU), driver for CUDA 13.0, NCCL 2.30.7, which can have several ranks on one GPU");
    std::filesystem::remove(service.path() / "control");
    EXPECT_THAT(describeGpus(two, describeDevices(two.device).value()),
                HasSubstr("on one GPU, by turns (CUDA's multi-process service does not run here"));
    ::unsetenv("CUDA_MPS_PIPE_DIRECTORY");
}

// On a machine with GPUs and all libraries the runtime describes them; on any other the error says what is missing.
TEST(GpuRuntime, OfThisMachineIsThereOrSaysWhatIsMissing) {
    const auto runtime = loadGpuRuntime();
    if (runtime) {
        EXPECT_TRUE(checkGpus(*runtime, {}));
    } else {
        EXPECT_THAT(runtime.error().message,
                    testing::AnyOf(HasSubstr("NVIDIA driver"), HasSubstr("pip install"), HasSubstr("install torch")));
    }
}

}  // namespace
}  // namespace dasgd::test
