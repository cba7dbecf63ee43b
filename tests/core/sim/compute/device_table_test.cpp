#include "core/sim/compute/device_table.h"

#include <gtest/gtest.h>

#include <set>

namespace dasgd {
namespace {

TEST(DeviceTable, HasEachDeviceOnceWithItsSource) {
    std::set<std::string> names;
    for (const DeviceSpec& device : deviceTable()) {
        EXPECT_TRUE(names.insert(std::string(device.name)).second) << device.name;
        EXPECT_GT(device.source.size(), 20U) << device.name;
        EXPECT_EQ(deviceNamed(device.name), &device);
    }
    EXPECT_EQ(names.size(), deviceNames().size());
    EXPECT_EQ(deviceNamed("abacus"), nullptr);
}

// No device has its figures in another unit: compute and memory both within the range of two decades of hardware, and
// newer ones of a maker faster.
TEST(DeviceTable, GrowsWithTheGenerations) {
    double teraflops = 0, gigabytes = 0;
    for (const char* name : {"k80", "p100", "v100", "a100", "h100"}) {
        const DeviceSpec* device = deviceNamed(name);
        ASSERT_NE(device, nullptr) << name;
        EXPECT_GT(device->teraflops, teraflops) << name;
        EXPECT_GT(device->gigabytesPerSecond, gigabytes) << name;
        teraflops = device->teraflops;
        gigabytes = device->gigabytesPerSecond;
    }
    EXPECT_EQ(deviceNamed("h200")->teraflops, teraflops) << "the same chip with more memory";
}

// 32 and 28 cores at their AVX clocks of 1.9 and 2.2 GHz.
TEST(DeviceTable, ReckonsTheXeonsOfThePapers) {
    EXPECT_DOUBLE_EQ(deviceNamed("2x-e5-2698v3")->teraflops, 1.9456);
    EXPECT_DOUBLE_EQ(deviceNamed("2x-e5-2697v3")->teraflops, 1.9712);
    EXPECT_DOUBLE_EQ(deviceNamed("c4.8xlarge")->teraflops, 1.44);
}

}  // namespace
}  // namespace dasgd
