#include "storage/runs/hardware.h"

#include <gtest/gtest.h>

namespace dasgd::storage {
namespace {

TEST(Hardware, IsToldByKindWithItsQuantities) {
    const HardwarePart gpu{.kind = kGpu, .name = "NVIDIA H200", .memoryBytes = 150.754e9};
    const std::vector<HardwarePart> parts{gpu,
                                          gpu,
                                          {.kind = kGpu, .name = "Tesla T4"},
                                          {.kind = kNic, .name = "eth0", .bitsPerS = 25e9},
                                          {.kind = kNic, .name = "eth1", .bitsPerS = 100e6},
                                          {.kind = kNic, .name = "veth7"}};
    EXPECT_EQ(hardwareText(parts, kGpu), "2 × NVIDIA H200, 150.8 GB, Tesla T4");
    EXPECT_EQ(hardwareText(parts, kNic), "eth0 25 Gbit/s, eth1 100 Mbit/s, veth7");
    EXPECT_EQ(hardwareText({}, kNic), "");
    EXPECT_EQ(hardwareText({gpu}, kNic), "");
}

}  // namespace
}  // namespace dasgd::storage
