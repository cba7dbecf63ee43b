#include "core/gpu/tensor_device_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/support/temp_dir.h"

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(TensorDeviceLibrary, TheModuleOfThisBuildIsFound) {
    const auto module = tensorDeviceModule();
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_EQ(module->filename(), kTensorDeviceModule);
    EXPECT_TRUE(std::filesystem::exists(*module));
}

TEST(TensorDeviceLibrary, AModuleThatIsNotThereIsNamed) {
    const Status loaded = loadTensorDeviceModule("/nowhere/dasgd_cuda.so");
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, AllOf(HasSubstr("/nowhere/dasgd_cuda.so"), HasSubstr("beside")));
}

// The loader's text, for a module that is no library or lacks one that it needs, is reported with the remedy.
TEST(TensorDeviceLibrary, WhatTheLoaderSaysIsToldWithTheRemedy) {
    const TempDir folder;
    const auto module = folder.path() / kTensorDeviceModule;
    std::ofstream(module) << "no library";
    const Status loaded = loadTensorDeviceModule(module);
    ASSERT_FALSE(loaded);
    EXPECT_THAT(loaded.error().message, AllOf(HasSubstr(module.string()), HasSubstr("pip install torch==2.11.0")));
}

TEST(TensorDeviceLibrary, AnotherLibraryIsRefused) {
    const Status loaded = loadTensorDeviceModule("/proc/self/exe");
    ASSERT_FALSE(loaded);
}

TEST(TensorDeviceLibrary, NoMachineHasSoManyDevices) {
    const auto device = openTensorDevice(1000);
    ASSERT_FALSE(device);
    if (const auto usable = usableTensorDevices()) {
        EXPECT_THAT(device.error().message, HasSubstr("no GPU 1000"));
    } else {
        EXPECT_EQ(device.error().message, usable.error().message);
    }
}

}  // namespace
}  // namespace dasgd::test
