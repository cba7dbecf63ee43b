// Errors on machines that lack something, on tables that answer as CUDA does there.
#include "core/device/device_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dasgd::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(DeviceLibrary, WithoutTheRuntimeItSaysWhatToInstall) {
    const auto api = loadDeviceApi("libnobody.so.1");
    ASSERT_FALSE(api);
    EXPECT_THAT(api.error().message, AllOf(HasSubstr("libnobody.so.1"), HasSubstr("pip")));
}

TEST(DeviceLibrary, AnotherLibraryIsRefusedWithWhatItLacks) {
    const auto api = loadDeviceApi("libm.so.6");
    ASSERT_FALSE(api);
    EXPECT_THAT(api.error().message, AllOf(HasSubstr("libm.so.6"), HasSubstr("cudaDriverGetVersion"),
                                           HasSubstr("cudaEventElapsedTime"), HasSubstr("cudaGetErrorString")));
}

// A machine with this driver whose devices are counted with this answer.
Result<int> devicesOf(int driver, int answer, int count) {
    const auto give = [](int value, int result) {
        return [value, result](int* out) {
            *out = value;
            return result;
        };
    };
    DeviceApi api;
    api.driverVersion = give(driver, DeviceApi::kSuccess);
    api.runtimeVersion = give(13000, DeviceApi::kSuccess);
    api.deviceCount = give(count, answer);
    api.errorText = [](int) { return "unknown error"; };
    return usableDevices(api);
}

TEST(DeviceLibrary, CountsWhatCanBeUsedOrSaysWhyNot) {
    EXPECT_EQ(devicesOf(13010, DeviceApi::kSuccess, 4).value(), 4);
    EXPECT_THAT(devicesOf(0, DeviceApi::kNoDevice, 0).error().message, HasSubstr("no NVIDIA driver"));
    EXPECT_THAT(devicesOf(12040, DeviceApi::kInsufficientDriver, 0).error().message,
                AllOf(HasSubstr("made for CUDA 12.4"), HasSubstr("this program for CUDA 13.0")));
    EXPECT_THAT(devicesOf(13000, DeviceApi::kNoDevice, 0).error().message, HasSubstr("CUDA_VISIBLE_DEVICES"));
    EXPECT_THAT(devicesOf(13000, DeviceApi::kSuccess, 0).error().message, HasSubstr("CUDA_VISIBLE_DEVICES"));
    EXPECT_THAT(devicesOf(13000, 999, 0).error().message, HasSubstr("unknown error"));
}

// Two GPUs, of which the second may fail.
DeviceApi twoDevices(int secondAnswers) {
    DeviceApi api;
    api.driverVersion = [](int* out) { return *out = 13000, DeviceApi::kSuccess; };
    api.runtimeVersion = api.driverVersion;
    api.deviceCount = [](int* out) { return *out = 2, DeviceApi::kSuccess; };
    api.properties = [secondAnswers](DeviceProperties* properties, int device) {
        *properties = {"GPU of a test", {}, {}};
        properties->uuid[15] = static_cast<char>(device);
        return device == 0 ? DeviceApi::kSuccess : secondAnswers;
    };
    api.errorText = [](int) { return "device is lost"; };
    return api;
}

TEST(DeviceLibrary, DescribesEachDeviceByNameAndIdentity) {
    const auto devices = describeDevices(twoDevices(DeviceApi::kSuccess));
    ASSERT_TRUE(devices) << devices.error().message;
    ASSERT_EQ(devices->size(), 2U);
    EXPECT_EQ(devices->at(1).name, "GPU of a test");
    EXPECT_EQ(devices->at(1).uuid.size(), 16U);
    EXPECT_NE(devices->at(0).uuid, devices->at(1).uuid);
}

TEST(DeviceLibrary, ADeviceThatDoesNotAnswerIsNamed) {
    EXPECT_THAT(describeDevices(twoDevices(46)).error().message,
                AllOf(HasSubstr("GPU 1"), HasSubstr("device is lost")));
}

TEST(DeviceLibrary, VersionsAreWrittenAsPeopleSayThem) {
    EXPECT_EQ(cudaVersionText(13000), "13.0");
    EXPECT_EQ(cudaVersionText(12080), "12.8");
}

}  // namespace
}  // namespace dasgd::test
