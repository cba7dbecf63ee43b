// The module: that it brings LibTorch its CUDA kernels, where LibTorch's CUDA libraries are installed; and what it does
// on the GPU of this machine. Each is skipped where that is missing.
#include <ATen/core/dispatch/Dispatcher.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/gpu/tensor_device_library.h"

namespace dasgd::test {
namespace {

using testing::HasSubstr;

bool hasCudaKernel(const char* name, const char* overload) {
    const auto found = c10::Dispatcher::singleton().findSchema({name, overload});
    return found && found->hasKernelForDispatchKey(c10::DispatchKey::CUDA);
}

TEST(CudaModule, BringsTheKernels) {
    const auto module = tensorDeviceModule();
    ASSERT_TRUE(module) << module.error().message;
    if (const Status loaded = loadTensorDeviceModule(*module); !loaded) GTEST_SKIP() << loaded.error().message;
    EXPECT_TRUE(hasCudaKernel("aten::add", "Tensor"));
}

class CudaTensorDeviceTest : public testing::Test {
protected:
    void SetUp() override {
        if (const auto devices = usableTensorDevices(); !devices) GTEST_SKIP() << devices.error().message;
        auto opened = openTensorDevice(0);
        ASSERT_TRUE(opened) << opened.error().message;
        device = std::move(*opened);
    }
    std::unique_ptr<TensorDevice> device;
};

TEST_F(CudaTensorDeviceTest, WhatIsBroughtIsThereForTheComputeStream) {
    const at::Tensor host = at::arange(100'000, at::kFloat);
    for (const at::Tensor& from : {host, host.pin_memory()}) {
        auto arrival = device->bring({from, from + 1});
        const std::vector<at::Tensor> tensors = arrival->take();
        ASSERT_EQ(tensors.size(), 2U);
        EXPECT_EQ(tensors[0].device(), device->device());
        EXPECT_TRUE(at::equal((tensors[1] - tensors[0]).cpu(), at::ones_like(host)));
    }
}

TEST_F(CudaTensorDeviceTest, AScalarIsSentAsItWas) {
    at::Tensor scalar = at::full({}, 2.5, at::TensorOptions(device->device()));
    auto departure = device->send(scalar);
    scalar.fill_(7);
    EXPECT_EQ(departure->read(), 2.5);
    EXPECT_TRUE(departure->ready());
}

TEST_F(CudaTensorDeviceTest, CapturedWorkIsDoneByItsReplay) {
    at::Tensor sum = at::zeros({1000}, at::TensorOptions(device->device()));
    auto captured = device->capture([&] { sum.add_(at::ones_like(sum)); });
    ASSERT_TRUE(captured) << captured.error().message;
    EXPECT_EQ(sum.sum().item<double>(), 0) << "a capture does nothing";
    for (int i = 0; i < 3; ++i) (*captured)->replay();
    EXPECT_EQ(sum.sum().item<double>(), 3000);
}

// Each replay continues the random stream.
TEST_F(CudaTensorDeviceTest, ReplaysDrawAnew) {
    at::Tensor drawn = at::empty({1000}, at::TensorOptions(device->device()));
    auto captured = device->capture([&] { drawn.uniform_(); });
    ASSERT_TRUE(captured) << captured.error().message;
    (*captured)->replay();
    const at::Tensor first = drawn.cpu();
    (*captured)->replay();
    EXPECT_FALSE(at::equal(first, drawn.cpu()));
}

TEST_F(CudaTensorDeviceTest, WhatCannotBeCapturedIsAnErrorAndTheStreamGoesOn) {
    at::Tensor value = at::ones({1000}, at::TensorOptions(device->device()));
    const auto synchronises = device->capture([&] { value.mul_(value.sum().item<double>()); });
    ASSERT_FALSE(synchronises);
    EXPECT_THAT(synchronises.error().message, HasSubstr("captur"));
    const auto throws = device->capture([&] { throw std::runtime_error("the work failed"); });
    ASSERT_FALSE(throws);
    EXPECT_EQ(throws.error().message, "the work failed");
    EXPECT_EQ(value.add(1).sum().item<double>(), 2000);
    value.uniform_();
    EXPECT_GT(value.sum().item<double>(), 0);
    EXPECT_TRUE(device->capture([&] { value.uniform_(); }));
}

TEST_F(CudaTensorDeviceTest, TellsItsMemory) { EXPECT_THAT(device->memoryText(), HasSubstr(" GiB are free")); }

}  // namespace
}  // namespace dasgd::test
